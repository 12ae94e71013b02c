package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The lists name the third-party modules that a program links, on any platform, if it imports one of our packages. The
// list of a package is that of the innermost folder around it.
var (
	linksCodec  = []string{"github.com/klauspost/compress"}
	linksECS    = []string{"github.com/mlange-42/arche"}
	linksNetsys = []string{"golang.org/x/crypto", "golang.org/x/sys"}

	linksPrometheus = []string{
		"github.com/prometheus/client_golang", "github.com/prometheus/client_model", "github.com/prometheus/common",
		"github.com/prometheus/procfs", "github.com/beorn7/perks", "github.com/cespare/xxhash/v2",
		"github.com/munnerz/goautoneg", "go.yaml.in/yaml/v2", "google.golang.org/protobuf",
	}

	links = []struct {
		folder string
		may    []string
	}{
		{"components", nil},
		{"codec", linksCodec},
		{"ecs", linksECS},
		{"netsys", linksNetsys},
		{"netsys/websocket", slices.Concat(linksNetsys, []string{"github.com/coder/websocket"})},
		{"netsys/eventloop", slices.Concat(linksNetsys, []string{
			"github.com/panjf2000/gnet/v2", "github.com/panjf2000/ants/v2", "go.uber.org/multierr", "go.uber.org/zap",
			"golang.org/x/sync", "gopkg.in/natefinch/lumberjack.v2", "github.com/valyala/bytebufferpool",
			"github.com/gobwas/ws", "github.com/gobwas/httphead", "github.com/gobwas/pool",
		})},
		{"systems", slices.Concat(linksCodec, linksECS, linksNetsys)},
		{"systems/host", slices.Concat(linksCodec, linksECS, linksNetsys)},
		{"systems/rooms", slices.Concat(linksCodec, linksECS, linksNetsys)},
		{"systems/devtools/runner", slices.Concat(linksCodec, linksECS, linksNetsys, []string{"github.com/coder/websocket"})},
		{"systems/devtools/runner/web", slices.Concat(linksCodec, linksECS, linksNetsys, []string{"github.com/coder/websocket", "github.com/andybalholm/brotli", "golang.org/x/net", "golang.org/x/text"})}, // of autocert
		{"systems/devtools/swarm", slices.Concat(linksCodec, linksECS, linksNetsys, []string{"github.com/coder/websocket"})},                                                                                // it dials, as runner does
		{"systems/devtools/inspect", slices.Concat(linksCodec, linksECS, linksNetsys, linksPrometheus)},
		{"systems/devtools/operator", slices.Concat(linksCodec, linksECS, linksNetsys, linksPrometheus)},
	}
)

// linksOf returns the list of a package; ok is false for one that is no library.
func linksOf(pkg string) (may []string, ok bool) {
	longest := ""
	for _, l := range links {
		if inFolder(pkg, l.folder) && len(l.folder) > len(longest) {
			longest, may, ok = l.folder, l.may, true
		}
	}
	return may, ok
}

// overlinked says which packages link a module that is not in their list, one sentence
// for each of both, the shortest chain first. modules names the module of a stranger.
func overlinked(g graph, modules map[string]string) []string {
	type finding struct {
		length int
		text   string
	}
	var found []finding
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		may, library := linksOf(pkg)
		if !g.ours(pkg) || !library {
			continue
		}
		chains := map[string][]string{} // the shortest, by module
		for _, to := range slices.Sorted(maps.Keys(g.reach(pkg, false))) {
			m := modules[to]
			if g.ours(to) || slices.Contains(may, m) {
				continue
			}
			if c := g.chain(pkg, to, false); chains[m] == nil || len(c) < len(chains[m]) {
				chains[m] = c
			}
		}
		for m, c := range chains {
			n := len(c)
			found = append(found, finding{n, fmt.Sprintf("%s links %s, because %s imports %s; it may link: %s\n\t%s",
				pkg, m, c[n-2], c[n-1], orNothing(may), strings.Join(c, " → "))})
		}
	}
	slices.SortFunc(found, func(a, b finding) int {
		if d := a.length - b.length; d != 0 {
			return d
		}
		return strings.Compare(a.text, b.text)
	})
	var texts []string
	for _, f := range found {
		texts = append(texts, f.text)
	}
	return texts
}

// TestLinks compares the libraries that the go command would link with their lists.
func TestLinks(t *testing.T) {
	for _, platform := range []string{"linux/amd64", "windows/amd64", "darwin/arm64", "js/wasm"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		args := []string{"list", "-e", "-deps", "-json=ImportPath,Imports,Standard,Module"}
		for _, l := range links {
			args = append(args, "./"+l.folder+"/...")
		}
		list := exec.Command("go", args...)
		list.Dir = root
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", platform, err)
		}
		g, modules := graph{}, map[string]string{}
		ours := func(path string) string { return strings.TrimPrefix(path, module+"/") }
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				ImportPath string
				Imports    []string
				Standard   bool
				Module     struct{ Path string }
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Standard {
				continue
			}
			from := ours(p.ImportPath)
			modules[from] = p.Module.Path
			g.add(from, "", "", false)
			for _, to := range p.Imports {
				g.add(from, ours(to), "", false)
			}
		}
		// The standard library is nobody's module.
		for _, n := range g {
			maps.DeleteFunc(n.imports, func(to, _ string) bool { _, listed := modules[to]; return !listed })
		}
		if _, ok := g["systems"]; !ok {
			t.Fatalf("%s: package systems was not listed", platform)
		}
		for _, text := range overlinked(g, modules) {
			t.Errorf("%s: %s", platform, text)
		}
	}
}

func TestLinksChecker(t *testing.T) {
	const gnet, prometheus = "github.com/panjf2000/gnet/v2", "github.com/prometheus/client_golang"
	modules := map[string]string{
		gnet: gnet, prometheus + "/prometheus": prometheus, "github.com/hajimehoshi/ebiten/v2": "github.com/hajimehoshi/ebiten/v2",
		"golang.org/x/crypto/chacha20": "golang.org/x/crypto",
	}
	for _, c := range []struct {
		name  string
		edges [][2]string
		want  []string // the beginnings of sentences
	}{
		{"nothing", nil, nil},
		{"what is allowed", [][2]string{{"systems", "netsys"}, {"netsys", "golang.org/x/crypto/chacha20"}, {"netsys/eventloop", gnet}, {"systems/devtools/inspect", prometheus + "/prometheus"}}, nil},
		{"a window", [][2]string{{"systems", "github.com/hajimehoshi/ebiten/v2"}}, []string{"systems links github.com/hajimehoshi/ebiten/v2, because systems imports"}},
		{"gnet for clients", [][2]string{{"systems", "netsys/eventloop"}, {"netsys/eventloop", gnet}}, []string{"systems links " + gnet + ", because netsys/eventloop imports"}},
		{"figures for all", [][2]string{{"systems", "systems/devtools/inspect"}, {"systems/devtools/inspect", prometheus + "/prometheus"}}, []string{"systems links " + prometheus + ", because systems/devtools/inspect imports"}},
		{"crypto in components", [][2]string{{"components", "golang.org/x/crypto/chacha20"}}, []string{"components links golang.org/x/crypto, because components imports"}},
		{"a program", [][2]string{{"examples/arena", prometheus + "/prometheus"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph{}
			for _, e := range c.edges {
				g.add(e[0], e[1], "", false)
				g.add(e[1], "", "", false)
			}
			got := overlinked(g, modules)
			if len(got) != len(c.want) {
				t.Fatalf("%q", got)
			}
			for i, text := range got {
				if !strings.HasPrefix(text, c.want[i]) {
					t.Errorf("%q, want %q", text, c.want[i])
				}
			}
		})
	}
}
