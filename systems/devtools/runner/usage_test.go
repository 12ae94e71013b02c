package runner

import (
	"context"
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"
)

// -h says how to run the world and explains every flag once, the world's own flags first.
func TestUsage(t *testing.T) {
	game := plaza()
	game.About, game.Live = "Pawns walk.", func(context.Context, Game, Options, io.Writer, io.Writer) error { return nil }
	game.Flags = func(fs *flag.FlagSet) { fs.Int("pace", 3, "how fast pawns walk") }
	code, out, text := execute(t, game, "-h")
	if code != 0 || out != "" || !strings.HasPrefix(text, "usage: plaza [flags]\n\nPawns walk.\n") {
		t.Fatalf("exit code %d: %s", code, text)
	}
	at := func(what string) int {
		t.Helper()
		if strings.Count(text, what) != 1 {
			t.Errorf("%q stands there %d times", what, strings.Count(text, what))
		}
		return strings.Index(text, what)
	}
	if at("  plaza -headless -virtual -json  ") > at("\nFlags of plaza itself:\n  -pace int\n    \thow fast pawns walk (default 3)\n") {
		t.Errorf("ways to run it come behind flags:\n%s", text)
	}
	listed := map[string]int{}
	for _, found := range regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		listed[found[1]]++
	}
	for _, c := range chapters() {
		at("\n" + c.title + ":\n")
		for name := range strings.FieldsSeq(c.flags) {
			if listed[name] != 1 {
				t.Errorf("-%s is explained %d times", name, listed[name])
			}
		}
	}
	own := strings.Index(text, "\nMode:")
	if own < strings.Index(text, "-pace") || strings.Count(text[:own], "\n  -") != 1 {
		t.Errorf("of the world itself are these flags:\n%s", text[:own])
	}
	game.Listen = nil
	if _, _, text := execute(t, game, "-h"); strings.Contains(text, "plaza -serve") || !strings.Contains(text, "plaza -headless -virtual -json") {
		t.Errorf("without sockets:\n%s", text)
	}
}
