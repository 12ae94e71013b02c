package house

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const troubleshooting = "docs/guide/troubleshooting.md"

// followed maps a page to the section that a test types and compiles, with every listing in it.
var followed = map[string]section{
	"docs/guide/engines.md": {"## three.js", "## C and Godot", "examples/more/first/guide_test.go"},
}

// section is a part of a page between two headings, and the test that follows it.
type section struct{ begin, end, test string }

// without returns a document without the section.
func (s section) without(doc string) string {
	before, rest, begins := strings.Cut(doc, "\n"+s.begin+"\n")
	_, after, ends := strings.Cut(rest, "\n"+s.end+"\n")
	if !begins || !ends {
		return doc
	}
	return before + "\n" + after
}

// The test that follows a section, according to the list, names the page and the section, which the page has.
func TestPagesAreFollowed(t *testing.T) {
	for name, s := range followed {
		test := string(read(t, s.test))
		for _, word := range []string{path.Base(name), s.begin, s.end} {
			if !strings.Contains(test, strconv.Quote(word)) {
				t.Errorf("%s does not name %q, to follow %s", s.test, word, name)
			}
		}
		if doc := string(read(t, name)); s.without(doc) == doc {
			t.Errorf("%s has no section between %q and %q", name, s.begin, s.end)
		}
	}
}

// A metric, or one of its samples, as documents name it, and as dashboards and alerts do.
var (
	metricName = regexp.MustCompile("`tactus_([a-z_]+?)(?:_sum|_count|_bucket)?`")
	metricUsed = regexp.MustCompile(`\btactus_([a-z_]+?)(?:_sum|_count|_bucket)?\b`)
)

// A metric that a document, a dashboard or an alert names is one that the inspector or the operator page exports.
func TestMetricsOfDocumentsAreTold(t *testing.T) {
	var told strings.Builder
	for _, name := range files(t, isGo) {
		if (inFolder(name, "systems/devtools/inspect") || inFolder(name, "systems/devtools/operator")) && !strings.HasSuffix(name, "_test.go") {
			told.Write(read(t, name))
		}
	}
	for _, name := range files(t, func(name string) bool {
		return isMarkdown(name) || inFolder(name, "examples/more/fleet/deploy") && !isGo(name)
	}) {
		named := metricUsed
		if isMarkdown(name) {
			named = metricName
		}
		for _, m := range named.FindAllStringSubmatch(string(read(t, name)), -1) {
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
