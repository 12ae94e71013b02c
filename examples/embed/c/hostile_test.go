package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Whatever C passes ends in an error and never in a crash, from several threads, too. The compiler's own checks of memory
// look on, where it has any.
func TestHostile(t *testing.T) {
	t.Parallel()
	folder := built(t)
	address := serve(t, netcode.Key{})
	program := filepath.Join(folder, "hostile")
	checked := filepath.Join(t.TempDir(), "hostile")
	if err := compile(t, "hostile", checked, library(folder), "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"); err == nil {
		program = checked
	} else {
		t.Logf("without the checks of the compiler: %v", err)
	}
	for seed := range 2 {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			if code, stdout, stderr := run(t, program, address, fmt.Sprint(seed)); code != 0 || stdout != "ok\n" {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
		})
	}
}

// Go itself looks for pointers to memory that is not pinned, where C can see them, in a library that is built for that.
func TestPins(t *testing.T) {
	built(t)
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("builds everything anew, the standard library too: set TACTUS_LONG=1")
	}
	folder := t.TempDir()
	cmd := exec.Command("make", "--no-print-directory", "OUT="+folder, "all")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT=cgocheck2")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := serve(t, netcode.Key{})
	if code, stdout, stderr := run(t, filepath.Join(folder, "hostile"), address, "3"); code != 0 || stdout != "ok\n" {
		t.Errorf("exit code %d: %s%.4000s", code, stdout, stderr)
	}
	if n := plays(t, folder, "-for", "4", "-lines", address); n[4] == 0 {
		t.Errorf("%v", n)
	}
}

// bench runs, and finds what it measures.
func TestBench(t *testing.T) {
	folder := built(t)
	code, stdout, stderr := run(t, filepath.Join(folder, "bench"), library(folder), serve(t, netcode.Key{}), "30")
	if code != 0 || strings.Count(stdout, "\n") != 9 || !strings.Contains(stdout, "tactus_set_input") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	t.Logf("\n%s", stdout)
}
