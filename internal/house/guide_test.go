package house

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	guide           = "docs/guide"
	troubleshooting = guide + "/troubleshooting.md"
	guidePages      = 24
	pageLines       = 150
)

// followed are pages that a test follows to the letter, and so compiles what stands on them: how many lines they may have, and the test.
var followed = map[string]struct {
	lines int
	test  string
}{
	guide + "/three.md": {195, "examples/first/guide_test.go"}, // a whole program in two languages
}

// Whoever is said to follow a page does.
func TestPagesAreFollowed(t *testing.T) {
	for name, by := range followed {
		if !strings.Contains(string(read(t, by.test)), strconv.Quote(path.Base(name))) {
			t.Errorf("%s does not follow %s", by.test, name)
		}
	}
}

// The guide stays short enough to be read: so many pages, with those about decisions, and lines.
func TestGuideIsShort(t *testing.T) {
	pages := 0
	for _, name := range files(t, isMarkdown) {
		if !inFolder(name, guide) && !inFolder(name, "docs/decisions") {
			continue
		}
		pages++
		if n, most := strings.Count(string(read(t, name)), "\n"), max(pageLines, followed[name].lines); n > most {
			t.Errorf("%s has %d lines, at most %d", name, n, most)
		}
	}
	if pages > guidePages {
		t.Errorf("guide and decisions have %d pages, at most %d", pages, guidePages)
	}
}

// metricName is a metric as documents name it, or one of its samples.
var metricName = regexp.MustCompile("`tactus_([a-z_]+?)(?:_sum|_count|_bucket)?`")

// A metric that a document names is one that the inspector tells, of a server or of rooms.
func TestMetricsOfDocumentsAreTold(t *testing.T) {
	var told strings.Builder
	for _, name := range files(t, isGo) {
		if (inFolder(name, "systems/inspect") || inFolder(name, "systems/rooms/operator")) && !strings.HasSuffix(name, "_test.go") {
			told.Write(read(t, name))
		}
	}
	for _, name := range files(t, isMarkdown) {
		for _, m := range metricName.FindAllStringSubmatch(string(read(t, name)), -1) {
			if !strings.Contains(told.String(), `"`+m[1]+`"`) && !strings.Contains(told.String(), `"tactus_`+m[1]+`"`) {
				t.Errorf("%s: there is no metric tactus_%s", name, m[1])
			}
		}
	}
}

// errorText is the first cell of a row: the text of an error, … where values stand.
var errorText = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// The texts by which a reader looks up an error are those that the code prints.
func TestTroubleshootingQuotesErrors(t *testing.T) {
	doc := string(read(t, troubleshooting))
	if doc == "" {
		t.Skip(troubleshooting + " does not exist")
	}
	var code []string
	for _, name := range files(t, isGo) {
		if !strings.HasSuffix(name, "_test.go") {
			code = append(code, string(read(t, name)))
		}
	}
	rows := errorText.FindAllStringSubmatch(doc, -1)
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", troubleshooting)
	}
	for _, m := range rows {
		if !quoted(code, strings.Split(m[1], "…")) {
			t.Errorf("%s: no file prints %q", troubleshooting, m[1])
		}
	}
}

// quoted reports whether one of the files has all parts of a text.
func quoted(code, parts []string) bool {
	for _, file := range code {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(file, strings.TrimSpace(part))
		}
		if all {
			return true
		}
	}
	return false
}
