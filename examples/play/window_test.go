//go:build !js

package main

import (
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The client in a window plays a match of its own, and its picture shows something.
func TestWindow(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no screen: xvfb-run -a go test")
	}
	dir := os.Getenv("PLAY_PICTURES")
	if dir == "" {
		dir = t.ArtifactDir()
	}
	name := filepath.Join(dir, "0-window.png")
	program := filepath.Join(t.TempDir(), "play")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "arena", "-name", "Ada", "-picture", name)
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
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
