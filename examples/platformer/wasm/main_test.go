//go:build !wasm

package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/platformer/game"
)

// The module tells pages where platforms are, according to the rules.
func TestModuleKnowsPlatforms(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("builds a module for half a minute: set TACTUS_LONG=1")
	}
	module := filepath.Join(t.TempDir(), "platformer.wasm")
	build := exec.Command("go", "build", "-o", module, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	times := []string{"0", "1.5", "3", "6.25", "100", "12345.678"}
	out, err := exec.Command(node, append([]string{"testdata/below.mjs", module, filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")}, times...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var told [][5][3]float32
	if err := json.Unmarshal(out, &told); err != nil || len(told) != len(times) {
		t.Fatalf("%v: %s", err, out)
	}
	for i, seconds := range []float64{0, 1.5, 3, 6.25, 100, 12345.678} {
		for on, at := range told[i] {
			want := game.Below(uint8(on), seconds)
			if at != [3]float32{want.X, want.Y, want.Z} {
				t.Errorf("after %v s what %d is on is at %v, want %v", seconds, on, at, want)
			}
		}
	}
}
