package bind_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/host"
)

// The npm package reads all figures of host.Stats, in their order, and has a type for each.
func TestStatsOfThePackage(t *testing.T) {
	list := func(file, between string) string {
		b, err := os.ReadFile("../js/" + file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(between).FindStringSubmatch(string(b))
		if m == nil {
			t.Fatalf("%s has no %s", file, between)
		}
		return m[1]
	}
	read := strings.Fields(list("stats.mjs", "(?s)`(.*?)`"))
	var typed []string
	for _, m := range regexp.MustCompile(`readonly (\w+): number`).FindAllStringSubmatch(list("index.d.ts", `(?s)interface Stats {(.*?)\n}`), -1) {
		typed = append(typed, m[1])
	}
	if want := host.StatNames(); !slices.Equal(read, want) || !slices.Equal(typed, want) {
		t.Errorf("stats.mjs reads %q and index.d.ts has %q; host.Stats has %q", read, typed, want)
	}
}
