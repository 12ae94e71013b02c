package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

var drawn = regexp.MustCompile(`(?m)^saw (\d+) entities, moved (\d+) units, (\d+) hits$`)

// Godot plays, too, with nodes that are moved from columns.
func TestGodot(t *testing.T) {
	godot := os.Getenv("GODOT")
	if godot == "" {
		godot, _ = exec.LookPath("godot")
	}
	if godot == "" {
		t.Skip("needs Godot 4.4: set GODOT to the program")
	}
	built(t) // or there is no compiler
	folder, err := filepath.Abs("../godot")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("make", "--no-print-directory", "-C", folder, "GODOT="+godot).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, stdout, stderr := run(t, godot, "--headless", "--path", folder, "--", serve(t, netcode.Key{}), "6")
	m := drawn.FindStringSubmatch(stdout)
	if code != 0 || m == nil {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	saw, _ := strconv.Atoi(m[1])
	moved, _ := strconv.Atoi(m[2])
	hits, _ := strconv.Atoi(m[3])
	if saw < 40 || moved < 100 || hits == 0 || stderr != "" {
		t.Errorf("%s\n%s", m[0], stderr)
	}
	if code, stdout, stderr := run(t, godot, "--headless", "--path", folder, "--", "nowhere"); code != 1 || !regexp.MustCompile(`missing port`).MatchString(stderr) {
		t.Errorf("a wrong address: exit code %d\n%s%s", code, stdout, stderr)
	}
}
