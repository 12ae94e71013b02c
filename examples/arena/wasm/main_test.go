//go:build !wasm

package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
)

// build returns the module, built as users build it.
func build(t *testing.T) (module string) {
	t.Helper()
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("builds a module for half a minute: set TACTUS_LONG=1")
	}
	module = filepath.Join(t.TempDir(), "arena.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", module, ".")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return module
}

// root returns the folder of the Go installation.
func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Node plays the arena through the module, on its own socket: it joins, walks as predicted, shoots, chats and gets messages,
// although it also makes calls with invalid arguments.
func TestNodePlays(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	module := build(t)
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var c systems.ServerConfig
	game.Arm(&c)
	game.NewMessages().Serve(&c)
	server, err := systems.NewServer(wire, game.CombatProtocol(), c)
	if err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), 8, 50)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()

	var out, errs bytes.Buffer
	cmd := exec.Command(node, "testdata/play.mjs", module, filepath.Join(root(t), "lib/wasm/wasm_exec.js"), wire.LocalAddr().String(), "6")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	var r struct {
		Clock struct {
			Host int
			Text string
		}
		Size, Frames, Rows, Came, Gone, Shots, Said, Joined, End, After int
		Moved, Ms                                                       float64
		Hurt                                                            bool
		Why                                                             string
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	t.Logf("%s", out.String())
	switch {
	case r.Clock.Host != 0 || !strings.Contains(r.Clock.Text, "performance.timeOrigin"):
		t.Errorf("the page's own time is taken: %+v", r.Clock)
	case r.End != 0 || r.After != -1 || !r.Hurt:
		t.Errorf("it ended for %d %q, then %d", r.End, r.Why, r.After)
	case r.Joined != 1 || r.Rows < 40 || r.Came < 40 || r.Said != 1:
		t.Errorf("%+v", r)
	case r.Moved < 100 || r.Shots == 0:
		t.Errorf("moved by %v, %d shots", r.Moved, r.Shots)
	}
}
