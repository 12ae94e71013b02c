package house

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const troubleshooting = "docs/guide/troubleshooting.md"

// followed maps a page to the test that types and compiles every listing on it.
var followed = map[string]string{"docs/guide/three.md": "examples/more/first/guide_test.go"}

// The test that follows a page, according to the list, names the page.
func TestPagesAreFollowed(t *testing.T) {
	for name, test := range followed {
		if !strings.Contains(string(read(t, test)), strconv.Quote(path.Base(name))) {
			t.Errorf("%s does not follow %s", test, name)
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
