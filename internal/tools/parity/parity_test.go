package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/systemstest"
)

var games = []string{"arena", "platformer"}

func recorded(t *testing.T, name string, seed uint64, ticks int) (game, *recording) {
	t.Helper()
	g, err := gameOf(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := record(g, seed, ticks)
	if err != nil {
		t.Fatalf("%v\ngo run ./internal/tools/parity -game %s -seed %d -ticks %d -o FILE", err, name, seed, ticks)
	}
	return g, r
}

// A host is a function of the calls that are made of it: the same ones make the same predicted worlds, datagrams and frames.
func TestSameCallsSameStates(t *testing.T) {
	for _, name := range games {
		t.Run(name, func(t *testing.T) {
			g, r := recorded(t, name, 2, 900)
			t.Log(r)
			if err := replay(g, r.bytes); err != nil {
				t.Error(err)
			}
			if _, again := recorded(t, name, 2, 900); !bytes.Equal(again.bytes, r.bytes) {
				t.Error("the same seed makes another session")
			}
			if other, _ := gameOf(games[(slices.Index(games, name)+1)%2]); replay(other, r.bytes) == nil || replay(g, r.bytes[:len(r.bytes)/2]) == nil {
				t.Error("what is no recording of this game can be replayed")
			}
		})
	}
}

// changed returns a copy of a recording in which one hash of a predicted world is different, and the tick of that hash.
func changed(t *testing.T, g game, b []byte) (other []byte, tick uint32) {
	t.Helper()
	other = slices.Clone(b)
	r, err := newReader(g.world.Protocol(&g.options), other)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		_, got, err := r.call()
		if err != nil {
			t.Fatal(err)
		}
		if n > 1000 && got.world != 0 {
			r.b = other[len(other)-len(r.b)-12:]
			r.b[0] ^= 1
			return other, got.tick
		}
	}
}

// A state that differs is noticed, and its tick named.
func TestDifferenceIsNamed(t *testing.T) {
	g, r := recorded(t, "arena", 3, 700)
	other, tick := changed(t, g, r.bytes)
	if err := replay(g, other); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("tick %d:", tick)) || !strings.HasSuffix(err.Error(), ": the world") {
		t.Errorf("tick %d differs: %v", tick, err)
	}
}

// The module plays as the Go client does, hash for hash, over ten thousand ticks.
func TestModuleReplays(t *testing.T) {
	node := needNode(t)
	for _, name := range games {
		t.Run(name, func(t *testing.T) {
			g, r := recorded(t, name, 1, 10_000)
			t.Log(r)
			if r.corrections == 0 || r.resimulated == 0 {
				t.Error("nothing was corrected: this shows little")
			}
			folder := t.TempDir()
			module := build(t, folder, "../../../examples/"+name+"/wasm", "js", "wasm")
			play := func(b []byte) (string, error) {
				file := filepath.Join(folder, "session")
				if err := os.WriteFile(file, b, 0o644); err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command(node, "testdata/replay.mjs", module, goRoot(t)+"/lib/wasm/wasm_exec.js", file).CombinedOutput()
				return string(out), err
			}
			out, err := play(r.bytes)
			if err != nil || !strings.Contains(out, fmt.Sprintf(`"ticks":%d,"frames":%d,`, r.ticks, r.frames)) {
				t.Errorf("%v\n%s\nrepeat: go run ./internal/tools/parity -game %s -seed 1 -o FILE", err, out, name)
			}
			other, tick := changed(t, g, r.bytes)
			if out, err := play(other); err == nil || !strings.Contains(out, fmt.Sprintf("before tick %d: the hash of the predicted world", tick)) {
				t.Errorf("tick %d differs: %v\n%s", tick, err, out)
			}
		})
	}
}

// Calls of a page with any numbers end in an error, not in a panic of the module, which continues to play.
func TestModuleTakesAnything(t *testing.T) {
	node := needNode(t)
	_, r := recorded(t, "arena", 5, 600)
	folder := t.TempDir()
	file, module := filepath.Join(folder, "session"), build(t, folder, "../../../examples/arena/wasm", "js", "wasm")
	if err := os.WriteFile(file, r.bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	runtimeOf := goRoot(t) + "/lib/wasm/wasm_exec.js"
	systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
		out, err := exec.Command(node, "testdata/anything.mjs", module, runtimeOf, file, "8000", fmt.Sprint(seed)).CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s\nrepeat: TACTUS_LONG=1 go test ./internal/tools/parity -run 'TestModuleTakesAnything/seed=%d$'", err, out, seed)
		}
	})
}

// This machine and a browser calculate the same numbers, as docs/models.md promises.
func TestFunctionsAreAlike(t *testing.T) {
	node := needNode(t)
	folder := t.TempDir()
	here, err := exec.Command(build(t, folder, "./testdata/functions", runtime.GOOS, runtime.GOARCH)).Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, goRoot(t)+"/lib/wasm/wasm_exec_node.js", build(t, folder, "./testdata/functions", "js", "wasm"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // of the environment little fits there
	there, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, there)
	}
	a, b := strings.Split(string(here), "\n"), strings.Split(string(there), "\n")
	if len(a) != len(b) || len(a) < 20 {
		t.Fatalf("%q\n%q", a, b)
	}
	for i := range a {
		if a[i] != b[i] && strings.HasPrefix(a[i], "alike ") {
			t.Errorf("this machine: %s, JavaScript: %s", a[i], b[i])
		}
	}
}

// Invalid arguments are refused with advice.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-game", "chess", "-o", file}, 2, "arena or platformer"},
		{[]string{"-ticks", "100"}, 2, "-o a file"},
		{[]string{"-o", filepath.Join(file, "none"), "-ticks", "900"}, 1, "none"},
		{[]string{"-o", file, "-ticks", "900"}, 0, "ticks, "},
	} {
		var out bytes.Buffer
		if code := run(c.args, &out, &out); code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: %d %s", c.args, code, &out)
		}
	}
}

func needNode(t *testing.T) string {
	t.Helper()
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("builds modules for half a minute: set TACTUS_LONG=1")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	return node
}

// build builds a program and returns where it is.
func build(t *testing.T, folder, program, system, machine string) string {
	t.Helper()
	to := filepath.Join(folder, machine)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, program)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}

func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
