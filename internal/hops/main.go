// Command hops counts the files of systems whose code a tick runs, phase by phase: what one
// opens who follows a datagram. It plays two seconds of LocalSync in virtual time, with
// corrections on a bad link, and lets coverage count in the second.
//
//	go run -cover -covermode=atomic -coverpkg=./systems/...,./internal/hops ./internal/hops
//
// It fails where a phase runs code of more files than internal/hops/limits.txt says, or of
// fewer, as limits only fall. With -v it prints the files.
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/coverage"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

//go:embed limits.txt
var limits string

// phases are the systems of a tick, in the order in which a datagram meets them.
var phases = []struct {
	name    string
	server  bool
	systems []string
}{
	{"gather-send", false, []string{"InputGather", "Predict", "Send"}},
	{"receive-apply", true, []string{"Receive", "ServerApply"}},
	{"snapshot-send", true, []string{"Snapshot", "Send"}},
	{"receive-reconcile", false, []string{"Receive", "Reconcile"}},
	{"frame", false, []string{"Interpolate"}},
}

func main() {
	verbose := flag.Bool("v", false, "print the files")
	flag.Parse()
	if err := run(*verbose); err != nil {
		fmt.Fprintln(os.Stderr, "hops:", err)
		os.Exit(1)
	}
}

func run(verbose bool) error {
	var lines []string
	all := make(map[string]bool)
	tell := func(name string, files map[string]bool) {
		lines = append(lines, fmt.Sprintf("%s %d", name, len(files)))
		fmt.Println(lines[len(lines)-1])
		if verbose {
			for _, file := range slices.Sorted(maps.Keys(files)) {
				fmt.Println("\t" + file)
			}
		}
	}
	for _, p := range phases {
		files, err := filesOf(p.server, p.systems)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		maps.Copy(all, files)
		tell(p.name, files)
	}
	tell("all", all)
	if strings.Join(lines, "\n") != strings.TrimSpace(limits) {
		return fmt.Errorf("internal/hops/limits.txt says otherwise; limits only fall:\n%s", limits)
	}
	return nil
}

// filesOf plays a match and returns the files whose code runs in some systems of its last
// second.
func filesOf(server bool, names []string) (map[string]bool, error) {
	dir, err := os.MkdirTemp("", "hops")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	m, err := newMatch()
	if err != nil {
		return nil, err
	}
	m.run(time.Second)
	schedule := m.client.Schedule()
	if server {
		schedule = m.server.Schedule()
	}
	for _, name := range names {
		err := schedule.Wrap(name, func(run func(*ecs.World)) func(*ecs.World) {
			return func(w *ecs.World) {
				failed := coverage.ClearCounters()
				run(w)
				if failed == nil {
					failed = coverage.WriteCountersDir(dir)
				}
				if failed != nil && m.err == nil {
					m.err = failed
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	before := m.client.Stats().Corrections
	m.run(time.Second)
	if m.err == nil && m.client.Stats().Corrections == before {
		m.err = fmt.Errorf("nothing was corrected: %v", m.client.Err())
	}
	if m.err != nil {
		return nil, m.err
	}
	return covered(dir)
}

// covered reads which files have statements that ran, from the counters in a folder.
func covered(dir string) (map[string]bool, error) {
	if err := coverage.WriteMetaDir(dir); err != nil {
		return nil, err
	}
	profile := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	f, err := os.Open(profile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files := make(map[string]bool)
	lines := bufio.NewScanner(f)
	for lines.Scan() { // path:from,to statements times
		name, counts, ok := strings.Cut(lines.Text(), ":")
		_, file, in := strings.Cut(name, "/tactus/systems/")
		if n, err := strconv.Atoi(counts[strings.LastIndexByte(counts, ' ')+1:]); ok && in && err == nil && n > 0 {
			files[file] = true
		}
	}
	return files, lines.Err()
}

// match is a server and a client on a bad link. The player walks as its input says; the
// server pushes it now and then, which is corrected.
type match struct {
	now    time.Time
	server *systems.Server
	client *systems.Client
	err    error
}

type stride struct {
	DX int8 `net:"-1..1"`
}

func protocol() *ecs.Protocol {
	type walker struct {
		At *components.Position
		In *stride
	}
	p := ecs.NewProtocol("walkers/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[stride](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, stride{})
		w.Spawn(components.Position{})
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, x := range ecs.Each[walker](w) {
			x.At.X += float32(x.In.DX)
		}
	})
	p.Authority("push", func(w *ecs.World) {
		for _, x := range ecs.Each[walker](w) {
			if w.Tick()%20 == 0 {
				x.At.Y++
			}
		}
	})
	return p
}

func newMatch() (*match, error) {
	m := &match{now: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	var err error
	m.server, err = systems.NewServer(network.Node(address), protocol(), systems.ServerConfig{
		Start: m.now, Random: netsys.SeededRandom(1),
	})
	if err != nil {
		return nil, err
	}
	bad := netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05}
	link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: 1, In: bad, Out: bad})
	if err != nil {
		return nil, err
	}
	n := 0
	m.client, err = systems.NewClient(link, address, protocol(), systems.ClientConfig{
		Start: m.now, Random: netsys.SeededRandom(2),
		Gather: systems.Gather(func(_ *systems.Client, in *stride) { n++; in.DX = int8(n/20%3 - 1) }),
	})
	return m, err
}

func (m *match) run(d time.Duration) {
	const tick = time.Second / 60
	for end := m.now.Add(d); m.now.Before(end); {
		m.now = m.now.Add(tick)
		m.server.Advance(m.now)
		m.client.Advance(m.now)
		m.client.Frame(m.now)
	}
}
