package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// A corpus beside another package's tests is never read. A parser without a corpus gets no inputs in most runs.
func TestCorporaLieBesideTheirTargets(t *testing.T) {
	targets, corpora := map[string]bool{}, map[string]bool{}
	for _, name := range files(t, func(string) bool { return true }) {
		dir := path.Dir(name)
		switch {
		case strings.HasSuffix(name, "_test.go"):
			for _, m := range fuzzTarget.FindAllSubmatch(read(t, name), -1) {
				targets[path.Join(dir, "testdata/fuzz", string(m[1]))] = true
			}
		case strings.HasSuffix(path.Dir(dir), "testdata/fuzz"):
			corpora[dir] = true
		}
	}
	for dir := range corpora {
		if !targets[dir] {
			t.Errorf("%s: no fuzz target of that name is in that package", dir)
		}
	}
	for dir := range targets {
		if !corpora[dir] {
			t.Errorf("%s: a fuzz target without a corpus", dir)
		}
	}
}
