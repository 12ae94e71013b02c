package house

import (
	"regexp"
	"strings"
	"testing"
)

// rulesPage states the rules that tests are named for.
const rulesPage = "docs/netcode-rules.md"

var (
	stated = regexp.MustCompile(`(?m)^\| ([A-E][0-9]+|Decision[0-9]+) \|`)
	tested = regexp.MustCompile(`(?m)^func Test(?:Netcode([A-E][0-9]+)|(Decision[0-9]+))_`)
	meant  = regexp.MustCompile(`\brule ([A-E][0-9]+)\b`)
)

// Every rule that a test or a comment names is stated on the page, and every rule that is
// stated there has a test.
func TestRulesAreStated(t *testing.T) {
	rules := make(map[string]bool) // whether it has a test
	for _, m := range stated.FindAllSubmatch(read(t, rulesPage), -1) {
		rules[string(m[1])] = false
	}
	if len(rules) == 0 {
		t.Fatalf("%s states no rules", rulesPage)
	}
	for _, name := range files(t, isGo) {
		if strings.HasPrefix(name, "internal/") {
			continue
		}
		src := read(t, name)
		for _, m := range tested.FindAllSubmatch(src, -1) {
			rule := string(m[1]) + string(m[2])
			if _, there := rules[rule]; !there {
				t.Errorf("%s: a test of rule %s, which %s does not state", name, rule, rulesPage)
			}
			rules[rule] = true
		}
		for _, m := range meant.FindAllSubmatch(src, -1) {
			if _, there := rules[string(m[1])]; !there {
				t.Errorf("%s: rule %s, which %s does not state", name, m[1], rulesPage)
			}
		}
	}
	for rule, has := range rules {
		if !has {
			t.Errorf("%s: rule %s has no test", rulesPage, rule)
		}
	}
}
