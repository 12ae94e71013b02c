package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// sharp compiles the program in C#, after a change of one of its files.
func sharp(t *testing.T, folder string, change func(name, text string) string) (program string) {
	t.Helper()
	for _, tool := range []string{"mcs", "mono"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs Mono: Debian's packages mono-mcs and mono-runtime")
		}
	}
	names, err := filepath.Glob("csharp/*.cs")
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	to := t.TempDir()
	program = filepath.Join(to, "Play.exe")
	args := []string{"-unsafe", "-warnaserror", "-out:" + program}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(to, filepath.Base(name))
		if err := os.WriteFile(file, []byte(change(filepath.Base(name), string(b))), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command("mcs", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("LD_LIBRARY_PATH", folder)
	return program
}

// C# plays by P/Invoke, as Unity would.
func TestCSharp(t *testing.T) {
	folder := built(t)
	program := sharp(t, folder, func(_, text string) string { return text })
	code, stdout, stderr := run(t, "mono", program, serve(t, netcode.Key{}), "8")
	m := regexp.MustCompile(`^saw (\d+) entities, moved (\d+) units, (\d+) hits\n$`).FindStringSubmatch(stdout)
	if code != 0 || m == nil {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if saw, _ := strconv.Atoi(m[1]); saw < 40 {
		t.Errorf("saw %d", saw)
	}
	if moved, _ := strconv.Atoi(m[2]); moved < 100 {
		t.Errorf("moved %d", moved)
	}
	if code, _, stderr := run(t, "mono", program, "nowhere", "1"); code != 1 || !strings.Contains(stderr, "missing port") {
		t.Errorf("a wrong address: exit code %d\n%s", code, stderr)
	}
}

// Structs of C# that are of another protocol are refused, with the line that the library does not have.
func TestCSharpOfAnotherProtocol(t *testing.T) {
	folder := built(t)
	program := sharp(t, folder, func(name, text string) string {
		if name == "Arena.cs" {
			text = strings.Replace(text, "Shots uint8 at 1", "Shots uint8 at 4", 1)
		}
		return text
	})
	if code, _, stderr := run(t, "mono", program, "127.0.0.1:9", "1"); code != 1 || !strings.Contains(stderr, `no line "column 6 Fighter of 2 bytes{Down bool at 0; Shots uint8 at 4}"`) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// The structs of C# are those of the arena, also where no test compiles them.
func TestCSharpHasTheArenasLines(t *testing.T) {
	sharp, err := os.ReadFile("csharp/Arena.cs")
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile("../../arena/bindings/arena.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"(column (\d+) (\w+) of [^"]*)"`).FindAllStringSubmatch(string(sharp), -1) {
		if !strings.Contains(string(header), m[1]) {
			t.Errorf("arena.h has no line %q", m[1])
		}
		if constant := m[3] + "Column = "; strings.Contains(string(sharp), constant) && !regexp.MustCompile(constant+m[2]+`\b`).Match(sharp) {
			t.Errorf("%s is not %s", constant, m[2])
		}
	}
}
