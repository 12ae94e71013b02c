package house

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// topLevel is all that the root holds, besides dot-files.
var topLevel = []string{
	"go.mod", "go.sum", "go.work", "go.work.sum", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
	"ecs", "systems", "components", "netsys", "codec", "examples", "docs", "internal",
}

// The patterns are put together from parts: this file must pass its own tests.
var (
	// marks are promises; a tree holds what is, an issue what should be.
	marks = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"}, "|") + `)\b`)
	// hosts of registries belong to the machine's settings, where a mirror can
	// take their place.
	hosts = []string{"proxy." + "golang.org", "registry." + "npmjs.org", "deb." + "debian.org"}
)

func TestTopLevel(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range files(t, func(string) bool { return true }) {
		first, _, _ := strings.Cut(name, "/")
		if !seen[first] && !strings.HasPrefix(first, ".") && !slices.Contains(topLevel, first) {
			t.Errorf("%s: the top level holds only %s and dot-files", first, strings.Join(topLevel, ", "))
		}
		seen[first] = true
	}
}

func TestNoMarks(t *testing.T) {
	for _, name := range files(t, func(name string) bool {
		// Neither hashes nor fuzz inputs are words.
		return path.Base(name) != "go.sum" && !strings.Contains(name, "testdata/")
	}) {
		eachLine(t, name, func(n int, line string) {
			if mark := marks.FindString(line); mark != "" {
				t.Errorf("%s:%d: %s: do it, or open an issue", name, n, mark)
			}
		})
	}
}

func TestNoRegistryHosts(t *testing.T) {
	for _, name := range files(t, func(string) bool { return true }) {
		eachLine(t, name, func(n int, line string) {
			for _, host := range hosts {
				if strings.Contains(line, host) {
					t.Errorf("%s:%d: %s: use the registry's client with its own settings", name, n, host)
				}
			}
		})
	}
}

// reserved matches names that Windows uses for devices, with any extension.
var reserved = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// unportable returns why nobody could download a module with a file of that name, or "".
func unportable(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case reserved.MatchString(part):
			return part + " is a device on Windows"
		case strings.HasSuffix(part, "."):
			return part + " ends with a dot"
		case strings.ContainsAny(part, "\"'*<>?`|\\:;"):
			return part + " has a letter that no module may have"
		}
	}
	return ""
}

// File names are valid in a Go module: one invalid name makes the whole module unusable.
func TestFilesCanBeDownloaded(t *testing.T) {
	folded := map[string]string{}
	for _, name := range files(t, func(string) bool { return true }) {
		if why := unportable(name); why != "" {
			t.Errorf("%s: %s: give it another name", name, why)
		}
		if other, ok := folded[strings.ToLower(name)]; ok {
			t.Errorf("%s and %s are one file where capitals do not count", name, other)
		}
		folded[strings.ToLower(name)] = name
	}
}

func TestUnportable(t *testing.T) {
	for name, want := range map[string]bool{
		"a/nul": true, "a/NUL.txt": true, "com1/a": true, "aux.go": true, "a./b": true, "a/b:c": true, "it's": true, "a*": true,
		"a/null": false, "console.go": false, "a.nul": false, ".ci/run": false, "com10": false,
		"testdata/fuzz/FuzzX/0123abc": false, "a b/(c)+[d],{e}=@f": false,
	} {
		if why := unportable(name); (why != "") != want {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// eachLine calls f with the lines of a text file and their numbers.
func eachLine(t *testing.T, name string, f func(n int, line string)) {
	t.Helper()
	b := read(t, name)
	if !isText(b) {
		return
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		f(n, strings.TrimRight(line, "\r\n"))
	}
}
