//go:build linux

package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Without a screen the client ends before Ebitengine panics, with one line that says what
// to do, and go test is told that no test has run.
func TestWithoutAScreen(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		code  int
		lines int
		wants []string
	}{
		{[]string{"play", "arena"}, 1, 1, []string{"play: there is no screen: ", "DISPLAY", "xvfb-run", "go run ./examples/arena"}},
		{[]string{"play"}, 1, 1, []string{"play: there is no screen: "}},
		{[]string{"play.test"}, 0, 2, []string{"testing: warning: no tests to run\n", "there is no screen"}},
		{[]string{"play", "-test.run=TestFlags"}, 0, 2, []string{"testing: warning: no tests to run\n", "there is no screen"}},
	} {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Args = c.args
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "DISPLAY=") })
		out, _ := cmd.CombinedOutput()
		text := string(out)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q says %q, without %q", c.args, text, want)
			}
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || strings.Count(text, "\n") != c.lines || !strings.HasPrefix(text, c.wants[0]) {
			t.Errorf("%q: exit code %d, want %d, and %q", c.args, code, c.code, text)
		}
	}
}
