package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dots is the first program a reader sees; the README prints it whole.
const dots = "examples/dots/main.go"

// llms is the index for code assistants, in the form of llmstxt.org.
const llms = "docs/llms.txt"

// fence finds fenced blocks with their language and text.
var fence = regexp.MustCompile("(?ms)^[ \t]*```([a-z]*)[^\n]*\n(.*?)^[ \t]*```[ \t]*$")

func isMarkdown(name string) bool {
	return path.Ext(name) == ".md" && !strings.Contains(name, "testdata/")
}

// listings returns a document's Go blocks, and the results of its diffs.
func listings(doc string) []string {
	var blocks []string
	for _, m := range fence.FindAllStringSubmatch(doc, -1) {
		switch m[1] {
		case "go":
			blocks = append(blocks, m[2])
		case "diff":
			blocks = append(blocks, added(m[2]))
		}
	}
	return blocks
}

// added returns the result of a diff: its lines without the removed ones.
func added(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, "-") {
			b.WriteString(" " + strings.TrimPrefix(line, "+"))
		}
	}
	return b.String()
}

func TestREADMEListsDots(t *testing.T) {
	program := string(read(t, dots))
	if program == "" {
		t.Skip(dots + " does not exist")
	}
	nearest := "no Go block holds a main function"
	for _, block := range listings(string(read(t, "README.md"))) {
		if strings.TrimSpace(block) == strings.TrimSpace(program) {
			return
		}
		if strings.Contains(block, "func main()") {
			nearest = difference(block, program)
		}
	}
	t.Errorf("README.md does not list %s as it is: %s", dots, nearest)
}

func difference(got, want string) string {
	g, w := strings.Split(strings.TrimSpace(got), "\n"), strings.Split(strings.TrimSpace(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "listing\n\t" + g[i] + "\nprogram\n\t" + w[i]
		}
	}
	return "one is the beginning of the other"
}

// TestListingsAreCompiled checks that every Go block of a document is part of a Go file, line for line and with any
// indentation, so that it is compiled.
func TestListingsAreCompiled(t *testing.T) {
	compiled(t, isGo, listings)
}

// Blocks of other languages that stand for programs do so, too: their tests compile those.
func TestListingsOfEnginesAreCompiled(t *testing.T) {
	for language, ends := range map[string][]string{"c": {".c", ".h"}, "csharp": {".cs"}, "gdscript": {".gd"}} {
		compiled(t, func(name string) bool { return slices.Contains(ends, path.Ext(name)) }, func(doc string) (blocks []string) {
			for _, m := range fence.FindAllStringSubmatch(doc, -1) {
				if m[1] == language {
					blocks = append(blocks, m[2])
				}
			}
			return blocks
		})
	}
}

// compiled wants the blocks that a document lists to stand in source files.
func compiled(t *testing.T, source func(name string) bool, list func(doc string) []string) {
	t.Helper()
	var code strings.Builder
	for _, name := range files(t, source) {
		code.WriteString("\n" + flat(string(read(t, name))))
	}
	for _, name := range files(t, isMarkdown) {
		doc := string(read(t, name))
		if s, ok := followed[name]; ok {
			doc = s.without(doc)
		}
		for _, block := range list(doc) {
			if !strings.Contains(code.String(), "\n"+flat(block)) {
				first, _, _ := strings.Cut(strings.TrimSpace(block), "\n")
				t.Errorf("%s: the listing that begins %q is in no source file; copy it from an example or a test", name, first)
			}
		}
	}
}

// flat removes indentation, which a listing may change.
func flat(src string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(src)) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}

var (
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	link     = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	linkDef  = regexp.MustCompile(`(?m)^\[[^\]]+\]:\s*<?([^\s>]+)`)
	remote   = regexp.MustCompile(`^([a-z][a-z0-9+.-]*:|//)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6}\s+(.+?)\s*#*$`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// targets returns where a document's links lead, code left out.
func targets(doc string) []string {
	doc = codeSpan.ReplaceAllString(fence.ReplaceAllString(doc, ""), "")
	var to []string
	for _, re := range []*regexp.Regexp{link, linkDef} {
		for _, m := range re.FindAllStringSubmatch(doc, -1) {
			to = append(to, m[1])
		}
	}
	return to
}

// anchors returns the fragments that a document's headings answer to.
func anchors(doc string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(doc, ""), -1) {
		slug := noAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		found[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return found
}

func TestLinksResolve(t *testing.T) {
	for _, name := range append(files(t, isMarkdown), llms) {
		for _, to := range targets(string(read(t, name))) {
			if remote.MatchString(to) {
				continue
			}
			file, fragment, _ := strings.Cut(to, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if strings.HasPrefix(file, "/") || inFolder(target, "..") {
				t.Errorf("%s: %s leaves the repository", name, to)
			} else if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: %s does not exist", name, to)
			} else if fragment != "" && isMarkdown(target) && !anchors(string(read(t, target)))[fragment] {
				t.Errorf("%s: %s: no such heading", name, to)
			}
		}
	}
}

// The index for code assistants has the form of llmstxt.org, and links to all guides.
func TestLLMs(t *testing.T) {
	doc := string(read(t, llms))
	if !regexp.MustCompile(`^# \S.*\n\n> \S`).MatchString(doc) {
		t.Errorf("%s does not begin with a title and a summary", llms)
	}
	for line := range strings.Lines(doc) {
		if inList := strings.HasPrefix(line, "- "); inList && !strings.HasPrefix(line, "- [") && !strings.HasPrefix(line, "- `") {
			t.Errorf("%s: %q has neither a link nor a command", llms, strings.TrimSpace(line))
		}
	}
	for _, name := range files(t, func(name string) bool { return isMarkdown(name) && path.Dir(name) == "docs/guide" }) {
		if !slices.Contains(targets(doc), strings.TrimPrefix(name, "docs/")) && path.Base(name) != "upgrading.md" {
			t.Errorf("%s does not link to %s", llms, name)
		}
	}
}

func TestMarkdown(t *testing.T) {
	doc := "# The `Wire` format, 2\n\n[a](docs/a.md \"A\"), ![b](b.png), `[c](c.md)`\n\n" +
		"```go\nfunc f() {} // [d](d.md)\n```\n\n```sh\nls\n```\n\n```diff\n a\n-b\n+c\n```\n\n[e]: e.md#part\n"
	if got, want := strings.Join(targets(doc), " "), "docs/a.md b.png e.md#part"; got != want {
		t.Errorf("targets %q, want %q", got, want)
	}
	if got := listings(doc); len(got) != 2 || !strings.HasPrefix(got[0], "func f() {}") || flat(got[1]) != "a\nc\n" {
		t.Errorf("listings %q", got)
	}
	if !anchors(doc)["the-wire-format-2"] {
		t.Errorf("anchors %v", anchors(doc))
	}
}
