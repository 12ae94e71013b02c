package house

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// arrows says what the packages of a folder may import of ours, whether by
// themselves, through others or in their tests. A package may always import
// itself (its external tests do). Code in internal may serve any folder that
// lists it, but then obeys that folder's arrow, because chains are followed
// through it.
var arrows = []struct {
	from string
	may  []string
}{
	{"components", nil},
	{"codec", []string{"codec", "internal"}},
	{"ecs", []string{"ecs", "components", "codec", "internal"}},
	{"netsys", []string{"netsys", "codec", "internal"}},
	{"systems", []string{"systems", "components", "codec", "ecs", "netsys", "internal"}},
	{"examples", []string{"examples", "systems", "components", "codec", "ecs", "netsys", "internal"}},
	{"internal", []string{"internal", "examples", "systems", "components", "codec", "ecs", "netsys"}},
}

// confined modules are imported in these folders alone, so that each can be
// replaced behind its package. Benchmarks may compare with them.
var confined = []struct {
	module string
	to     []string
}{
	{"github.com/panjf2000/gnet", []string{"netsys/eventloop", "internal/bench"}},
	{"github.com/gobwas/ws", []string{"netsys/eventloop", "internal/bench"}},
	{"github.com/coder/websocket", []string{"netsys/websocket", "internal/bench"}},
	{"github.com/mlange-42/arche", []string{"ecs", "internal/bench"}},
	{"github.com/klauspost/compress", []string{"codec", "internal/bench"}},
	{"github.com/prometheus", []string{"systems/devtools/inspect", "systems/devtools/operator"}}, // of a server, and of a process with rooms
}

// unlinked modules are in no program that imports these folders: gnet does not
// build for a browser, and a native client should carry neither it nor figures
// for Prometheus. Tests may link them, to run against a real server. All that
// may be linked is in links.
var unlinked = []struct {
	module       string
	from, except []string
}{
	{
		module: "github.com/panjf2000/gnet",
		from:   []string{"components", "codec", "ecs", "netsys", "systems"},
		except: []string{"netsys/eventloop"},
	},
	{
		module: "github.com/prometheus",
		from:   []string{"components", "codec", "ecs", "netsys", "systems"},
		except: []string{"systems/devtools/inspect", "systems/devtools/operator"},
	},
}

// banned modules belong in a nested module of their own: the root one builds
// and tests with Go alone, and its users download little.
var banned = []string{
	"github.com/hajimehoshi/ebiten",
	"github.com/chromedp",
}

// offence is an import that the tables forbid, by the chain that leads to it.
type offence struct {
	chain []string // package, package, …, the forbidden one
	rule  string   // what would have been allowed
}

// check compares g with the tables. The offences with the shortest chains come first, so that the import to remove stands
// above its consequences.
func check(g graph) []offence {
	var found []offence
	for pkg := range g {
		if !g.ours(pkg) {
			continue
		}
		may, ok := arrowOf(pkg)
		if !ok {
			found = append(found, offence{[]string{pkg}, "its folder has no arrow: it does not belong here"})
			continue
		}
		report := func(to, rule string, tests bool) {
			found = append(found, offence{g.chain(pkg, to, tests), rule})
		}
		linked := g.reach(pkg, false)
		for to := range g.reach(pkg, true) {
			switch {
			case to == pkg:
			case g.ours(to):
				if !inAny(to, may) {
					report(to, fmt.Sprintf("%s may import of ours: %s", pkg, orNothing(may)), true)
				}
			case inAny(to, banned):
				report(to, "this belongs in a nested module", true)
			}
			for _, c := range confined {
				if inFolder(to, c.module) && g[pkg].names(to) && !inAny(pkg, c.to) {
					report(to, c.module+" is imported only in: "+strings.Join(c.to, ", "), true)
				}
			}
			for _, u := range unlinked {
				if inFolder(to, u.module) && inAny(pkg, u.from) && !inAny(pkg, u.except) && linked[to] {
					report(to, "a client needs "+pkg+" and must not link "+u.module, false)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b offence) int {
		if d := len(a.chain) - len(b.chain); d != 0 {
			return d
		}
		return slices.Compare(a.chain, b.chain)
	})
	return found
}

func arrowOf(pkg string) (may []string, ok bool) {
	for _, a := range arrows {
		if inFolder(pkg, a.from) {
			return a.may, true
		}
	}
	return nil, false
}

func inAny(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return inFolder(pkg, f) })
}

func orNothing(s []string) string {
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, ", ")
}

func TestImportsRunOneWay(t *testing.T) {
	g := load(t)
	for _, o := range check(g) {
		t.Errorf("%s\n%s", o.rule, g.explain(o.chain))
	}
}

// legal returns a small tree that uses every arrow.
func legal() graph {
	g := graph{}
	add := func(from string, to ...string) {
		for _, p := range to {
			g.add(from, p, "", false)
		}
	}
	add("components")
	add("codec", "codec/schema", "github.com/klauspost/compress/zstd")
	add("codec/schema")
	add("ecs", "components", "codec", "github.com/mlange-42/arche/ecs")
	add("netsys", "codec", "internal/ring")
	add("netsys/eventloop", "netsys", "github.com/panjf2000/gnet/v2")
	add("systems", "ecs", "netsys", "codec", "components")
	add("systems/policy", "systems")
	add("internal/ring", "codec")
	add("internal/scaffold", "systems", "netsys/eventloop")
	add("internal/bench/tick", "systems", "github.com/mlange-42/arche/ecs")
	add("examples/dots", "systems", "netsys/eventloop", "internal/scaffold")
	add("github.com/panjf2000/gnet/v2")
	add("github.com/mlange-42/arche/ecs")
	add("github.com/klauspost/compress/zstd")
	add("example.org/wrapper", "github.com/panjf2000/gnet/v2")
	add("example.org/tool", "github.com/chromedp/chromedp")
	g.add("systems", "netsys/eventloop", "", true)
	g.add("ecs", "ecs", "", true)
	return g
}

func TestImportsChecker(t *testing.T) {
	if got := check(legal()); len(got) != 0 {
		t.Fatalf("a legal tree has offences: %v", got)
	}
	for _, c := range []struct {
		name     string
		from, to string
		tests    bool
		chain    string // the first offence; empty: allowed
	}{
		{"same arrow again", "systems", "ecs", false, ""},
		{"components is a leaf", "components", "codec", false, "components codec"},
		{"not even internal", "components", "internal/ring", false, "components internal/ring"},
		{"codec to ecs", "codec", "ecs", false, "codec ecs"},
		{"codec to components", "codec/schema", "components", false, "codec/schema components"},
		{"ecs to netsys", "ecs", "netsys", false, "ecs netsys"},
		{"ecs to systems", "ecs", "systems", false, "ecs systems"},
		{"netsys to ecs", "netsys", "ecs", false, "netsys ecs"},
		{"netsys to components", "netsys/eventloop", "components", false, "netsys/eventloop components"},
		{"systems to examples", "systems", "examples/dots", false, "systems examples/dots"},
		{"in a test", "ecs", "systems", true, "ecs systems"},
		{"through internal", "internal/ring", "ecs", false, "netsys internal/ring ecs"},
		{"own external test", "codec", "codec", true, ""},
		{"new folder", "world", "ecs", false, "world"},
		{"arche outside ecs", "systems", "github.com/mlange-42/arche/ecs", true, "systems github.com/mlange-42/arche/ecs"},
		{"compress outside codec", "netsys", "github.com/klauspost/compress/zstd", false, "netsys github.com/klauspost/compress/zstd"},
		{"gnet in the scaffold", "internal/scaffold", "github.com/panjf2000/gnet/v2", false, "internal/scaffold github.com/panjf2000/gnet/v2"},
		{"gnet for clients", "netsys", "netsys/eventloop", false, "netsys netsys/eventloop github.com/panjf2000/gnet/v2"},
		{"gnet for clients' tests", "netsys", "netsys/eventloop", true, ""},
		{"gnet in the runner", "systems/devtools/runner", "netsys/eventloop", false, "systems/devtools/runner netsys/eventloop github.com/panjf2000/gnet/v2"},
		{"gnet in the runner's tests", "systems/devtools/runner", "netsys/eventloop", true, ""},
		{"gnet behind a stranger", "netsys", "example.org/wrapper", false, "netsys example.org/wrapper github.com/panjf2000/gnet/v2"},
		{"Ebitengine", "examples/dots", "github.com/hajimehoshi/ebiten/v2", false, "examples/dots github.com/hajimehoshi/ebiten/v2"},
		{"a browser behind a stranger", "examples/dots", "example.org/tool", true, "examples/dots example.org/tool github.com/chromedp/chromedp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := legal()
			g.add(c.from, c.to, "", c.tests)
			first := ""
			if found := check(g); len(found) > 0 {
				first = strings.Join(found[0].chain, " ")
			}
			if first != c.chain {
				t.Errorf("%s → %s: first offence %q, want %q", c.from, c.to, first, c.chain)
			}
		})
	}
}

// The checker finds the reverse of every allowed import.
func TestImportsCheckerTurnedRound(t *testing.T) {
	turned := 0
	for _, a := range arrows {
		for _, to := range a.may {
			if back, _ := arrowOf(to); inAny(a.from, back) {
				continue // the pair may import each other, as internal and its users do
			}
			g := graph{}
			g.add(to, a.from, "", false)
			g.add(a.from, "", "", false)
			if found := check(g); len(found) != 1 || !slices.Equal(found[0].chain, []string{to, a.from}) {
				t.Errorf("%s → %s: offences %v", to, a.from, found)
			}
			turned++
		}
	}
	if turned == 0 {
		t.Error("the table holds no one-way arrow")
	}
}
