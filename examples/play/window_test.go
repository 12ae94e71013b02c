//go:build !js

package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/policy"
)

// The client in a window joins over UDP, the server sees it, and its picture shows
// something.
func TestWindow(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no screen: xvfb-run -a go test")
	}
	name := filepath.Join(pictures(t), "0-window.png")
	program := filepath.Join(t.TempDir(), "play")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := &match{players: map[string]known{}, walked: map[uint32]*walk{}, others: map[uint32]point{}}
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	var all sync.WaitGroup
	wire := m.serve(ctx, t, &all, 4, policy.LocalSync)
	t.Cleanup(func() { stop(); all.Wait() })
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "arena", "-connect", wire.LocalAddr().String(), "-name", "Ada", "-picture", name)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 5*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	joined, ended := make(chan bool, 1), make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	go func() {
		for ctx.Err() == nil {
			if _, ok := m.player("Ada"); ok {
				joined <- true
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	select {
	case <-joined:
	case err := <-ended:
		t.Fatalf("it ended before the server saw it: %v\n%s", err, &out)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	colours := map[[3]uint32]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if img.Bounds().Dx() < 640 || len(colours) < 200 {
		t.Errorf("%v with %d colours: nothing to see", img.Bounds(), len(colours))
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"dots"}, {"arena", "x"}, {"-bots", "-1"}, {"-nonsense"}, {"arena", "-npcs", "100000"}} {
		if code, _ := play(args); code != exitUsage {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}
