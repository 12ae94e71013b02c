package matches_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Two runs of a match have identical results, however long they take in real time and in whatever order each peer stores its
// entities.
func TestDecision7_TwoRunsInVirtualTimeAreIdentical(t *testing.T) {
	t.Parallel()
	play := func(wait, shuffle bool) (figures []string, hashes []uint64) {
		config := fieldtest.Config(7, 3, fieldtest.BadLink())
		config.Populate, config.Protocol = fieldtest.Drifters(25), fieldtest.Pushes(100) // so that there are replays
		c := systemstest.New(t, config)
		if shuffle {
			c.OnServerTick(func() { c.Server.World().Shuffle(uint64(c.Server.Tick())) })
			c.OnClientTick(func(k *systemstest.Client) { k.World().Shuffle(uint64(k.Input())) })
		}
		for range 10 {
			if wait {
				time.Sleep(3 * time.Millisecond)
			}
			c.Run(time.Second)
			hashes = append(hashes, c.Hash())
			for _, k := range c.Clients {
				figures = append(figures, fmt.Sprintf("%v: %x %+v drawn %v\n%+v", k, c.Hash(), k.Figures(), k.DrawnTick(), k.Stats().Session))
			}
		}
		for _, k := range c.Clients {
			if k.Figures().Corrections == 0 {
				t.Errorf("%v had nothing to correct", k)
			}
		}
		fieldtest.MustConverge(c)
		return figures, append(hashes, c.Hash())
	}
	plain, hashes := play(false, false)
	waiting, _ := play(true, false)
	for i := range plain {
		if plain[i] != waiting[i] {
			t.Fatalf("two runs with one seed differ after %d s:\n%s\n%s", i/3+1, plain[i], waiting[i])
		}
	}
	if _, shuffled := play(false, true); !slices.Equal(hashes, shuffled) {
		t.Errorf("hashes second by second\n\tstored as it comes: %x\n\tshuffled:           %x", hashes, shuffled)
	}
}

// grain is a speed that is not a multiple of any step: positions are then between steps.
const grain = 0.0137137

// grainy returns a plaza whose players move by grains. In the ticks for which nudge returns true, the server also moves the player,
// which no client predicts.
func grainy(quantized bool, nudge func(tick, owner uint32) (components.Position, bool)) func() *ecs.Protocol {
	return fieldtest.ProtocolFrom(func(p *ecs.Protocol) {
		if quantized {
			p.QuantizeSteps()
		}
	}, fieldtest.Simulate("creep", func(w *ecs.World) {
		for _, d := range ecs.Each[fieldtest.Walker](w) {
			d.Pos.X += float32(d.In.DX) * grain
			d.Pos.Y += float32(d.In.DY) * grain
		}
	}), fieldtest.Authority(fieldtest.PushAt(nudge)))
}

// The server keeps values at full precision. The owner of an entity receives them bit for bit, other clients rounded to the
// nearest step.
func TestDecision3_OwnersGetAllBitsOthersTheStep(t *testing.T) {
	config := fieldtest.Config(1, 2, fieldtest.Lag(4))
	config.Populate = nil
	const every, quiet = 60, 45
	config.Protocol = grainy(false, func(tick, _ uint32) (components.Position, bool) {
		return components.Position{X: 3.14159, Y: 0.57721}, tick >= 300 && tick%every == 0
	})
	c := systemstest.New(t, config)
	ts := fieldtest.WatchServer(c)
	c.Connect()
	same := fieldtest.WatchOwnerBits(t, c, func(tick uint32) bool { return tick >= 300 && tick%every >= quiet })
	others, between := 0, 0
	c.OnClientTick(func(k *systemstest.Client) {
		truth := ts.At[k.ServerTick()]
		mine := k.World().NetID(fieldtest.OwnEntity(k))
		for id, p := range fieldtest.Positions(k.World()) {
			if id == mine || truth == nil {
				continue
			}
			others++
			want := fieldtest.Snapped(k.World(), truth.Places[id])
			if want != truth.Places[id] {
				between++
			}
			if p != want {
				t.Fatalf("%v has entity %d of another at %v, quantized it is at %v", k, id, p, want)
			}
		}
	})
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
	if *same < 2*10*(every-quiet) || others < 1000 || between < others*9/10 {
		t.Errorf("%d own places compared; %d of others, of which %d were between steps on the server", *same, others, between)
	}
	for _, k := range c.Clients {
		if f := k.Figures(); f.Corrections != 10 {
			t.Errorf("%v: %d corrections of 10 pushes", k, f.Corrections)
		}
	}
}

// If both ends quantize after every step, their values are equal bit for bit at every tick, and are always on steps.
func TestDecision3_QuantizedStepsAreEqualEverywhere(t *testing.T) {
	config := fieldtest.Config(1, 2, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02))
	config.Protocol = grainy(true, func(uint32, uint32) (d components.Position, ok bool) { return d, false })
	c := fieldtest.Start(t, config, 10*time.Second)
	same := fieldtest.WatchOwnerBits(t, c, func(uint32) bool { return true })
	c.OnServerTick(func() {
		for id, p := range fieldtest.Positions(c.Server.World()) {
			if on := fieldtest.Snapped(c.Server.World(), p); on != p {
				t.Fatalf("tick %d: entity %d stands at %v, the nearest step is %v", c.Server.Tick(), id, p, on)
			}
		}
	})
	c.RunTicks(300)
	c.NothingMissing()
	c.NoCorrections()
	if *same < 500 {
		t.Errorf("%d places compared", *same)
	}
}

// Peers identify entities by NetIDs alone. Handles and storage differ between peers, NetIDs have gaps, and still all peers
// agree on every entity.
func TestDecision4_OnlyNetIDsTravel(t *testing.T) {
	config := fieldtest.Config(1, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.05))
	config.Populate = func(w *ecs.World) {
		for i := range 10 { // moves handles away from NetIDs, which these have none of
			w.Spawn(fieldtest.Drift{Number: int32(i)})
		}
		fieldtest.Drifters(8)(w)
	}
	born := map[components.NetID]float32{}
	type mortal struct {
		Pos *components.Position
		_   ecs.With[fieldtest.Drift]
	}
	config.Protocol = fieldtest.ProtocolWithAuthority(func(w *ecs.World) {
		if w.Tick()%20 != 0 {
			return
		}
		newest := ecs.Entity{}
		for e := range ecs.EachInOrder[mortal](w) {
			newest = e
		}
		w.Despawn(newest)
		if w.Tick()%40 == 0 {
			for range 2 {
				// Each has a place of its own, by which a client would show if one took
				// the number of another.
				y := float32(-200 - len(born)%1000)
				id := w.NetID(w.Spawn(components.Position{Y: y}, fieldtest.Drift{Number: int32(w.Tick())}))
				if before, twice := born[id]; twice {
					t.Errorf("tick %d: entity %d was born before, at Y %v", w.Tick(), id, before)
				}
				born[id] = y
			}
		}
		fieldtest.PushAt(func(tick, _ uint32) (components.Position, bool) {
			return components.Position{X: 5}, tick%100 == 0
		})(w)
	})
	c := fieldtest.Start(t, config, 0)
	handles := 0
	c.OnClientTick(func(k *systemstest.Client) {
		for id, p := range fieldtest.Positions(k.World()) {
			if y, ok := born[id]; ok && p.Y != fieldtest.Snapped(k.World(), components.Position{Y: y}).Y {
				t.Fatalf("%v has entity %d at Y %v, it was born at %v", k, id, p.Y, y)
			}
			mine, _ := k.World().ByNetID(id)
			if theirs, ok := c.Server.World().ByNetID(id); ok && mine != theirs {
				handles++
			}
		}
	})
	c.Run(10 * time.Second)
	if handles == 0 || len(born) < 20 {
		t.Errorf("%d handles differ between peers, %d entities born", handles, len(born))
	}
	fieldtest.MustConverge(c)
}

// Input sequences and ticks advance independently, with another offset for each client and after each hold. Peers match
// states, random numbers and times across both. Random values are predicted correctly, although a client simulates only its
// own player and replays draw again.
func TestDecision5_SequencesAreNotTicks(t *testing.T) {
	config := fieldtest.Config(1, 2, fieldtest.Lag(2))
	config.Play = fieldtest.Steady(fieldtest.Walk{DX: 1})
	const from, every = 150, 90
	config.Protocol = fieldtest.ProtocolWith(fieldtest.Simulate("dice", func(w *ecs.World) {
		for e, d := range ecs.Each[fieldtest.Walker](w) {
			r := w.Rand(e)
			d.Pos.Y += float32(r.IntN(9)-4) * fieldtest.StepLength
		}
	}), fieldtest.Authority(fieldtest.PushAt(func(tick, _ uint32) (components.Position, bool) {
		return components.Position{Y: 8}, tick >= from && tick%every == 0
	})))
	c := systemstest.New(t, config)
	ts := fieldtest.WatchServer(c)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from })
	apart := make([]map[uint32]bool, len(c.Clients)) // ticks less sequences
	for n := range apart {
		apart[n] = map[uint32]bool{}
	}
	c.OnServerTick(func() {
		for _, k := range c.Clients {
			apart[k.N][c.Server.Tick()-k.Status().LastInput] = true
		}
	})
	c.Mark()
	const rounds = 10
	for n := range rounds {
		c.Clients[0].SetLinks(fieldtest.Lag(3+n), fieldtest.Lag(2)) // so that the buffers hold
		c.Clients[1].SetLinks(fieldtest.Lag(3+n), fieldtest.Lag(2))
		c.RunTicks(every)
	}
	c.NothingMissing()
	for _, k := range c.Clients {
		f := k.Figures()
		if f.Corrections != rounds || f.Confirmed < 250 {
			t.Errorf("%v: %d corrections of %d pushes, %d own states confirmed", k, f.Corrections, rounds, f.Confirmed)
		}
		if f.Holds < 5 || len(apart[k.N]) < 5 {
			t.Errorf("%v: %d holds; ticks ran ahead of sequences by %v", k, f.Holds, slices.Sorted(maps.Keys(apart[k.N])))
		}
		if s := ts.At[k.ConfirmedTick()]; s == nil || s.Inputs[k.N] > k.Input() {
			t.Errorf("%v: no own state", k)
		}
	}
	fieldtest.MustConverge(c)
}

// lossy is a wire that loses some received datagrams.
type lossy struct {
	netsys.Wire
	lose func() bool
}

func (l *lossy) Poll(now time.Time, deliver func(netsys.Datagram)) {
	l.Wire.Poll(now, func(d netsys.Datagram) {
		if !l.lose() {
			deliver(d)
		}
	})
}

// A snapshot needs several datagrams, and some are lost. Each block is encoded against a send of which all datagrams arrived, the
// newest or nearly the newest, however many sends in a row lose one.
func TestDecision6_BaselinesArrivedWhole(t *testing.T) {
	const entities = 600
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("10.0.0.1:7777")
	p := &fieldtest.Puppet{T: t, Now: time.Unix(0, 0)}
	protocol := fieldtest.ProtocolWithAuthority(fieldtest.Shake)
	var err error
	p.Server, err = systems.NewServer(network.Node(address), protocol(), systems.ServerConfig{
		Start: p.Now, Session: systems.ServerSession{Random: netsys.SeededRandom(1)}, Snapshots: systems.Snapshots{SendRate: 20, Budget: 10 * netsys.MaxPayload},
	})
	if err != nil {
		t.Fatal(err)
	}
	fieldtest.Drifters(entities)(p.Server.World())
	n, losing, lost := 0, false, 0
	path := &lossy{network.Node(netip.AddrPort{}), func() bool {
		n++
		if losing && n == 2 {
			lost++
			return true
		}
		return false
	}}
	p.Client, err = netsys.NewClient(path, address, netsys.ClientConfig{
		Schema: protocol().Lines(), Random: netsys.SeededRandom(2), InsecureAllowAnyAddress: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for p.Session == nil {
		p.Tick()
	}

	whole := map[uint32]bool{}             // sends of which all datagrams arrived
	const warm, losses, after = 60, 40, 10 // sends
	longest, newest, send := uint32(0), uint32(0), uint32(0)
	check := func(b []byte) {
		var r codec.ByteReader
		r.Reset(b)
		head, err := wire.ReadSnapshotHeader(&r)
		if send = codec.Lift(head.Send, max(send, 1)); err != nil {
			t.Fatalf("send %d: %v", send, err)
		}
		age := uint32(0)
		for r.Len() > 0 {
			x, _, err := wire.ReadBlock(&r, age)
			if age = x.Age; err != nil {
				t.Fatalf("send %d: %v", send, err)
			}
			if x.Own || send <= warm/2 {
				continue
			}
			// Ages are few, so that clients share them: 6, 8, 12 and so on.
			if age == 0 || !whole[send-age] || x.Two && !whole[send-age-1] || send-age+5 < newest {
				t.Fatalf("send %d: a block relative to %d sends before, and second %v, when %d arrived", send, age, x.Two, newest)
			}
			longest = max(longest, age)
		}
	}
	for tick := range uint32(3 * (warm + losses + after)) {
		p.Got, n = p.Got[:0], 0
		losing = send >= warm && send < warm+losses
		before := lost
		p.Tick(fieldtest.Input(tick+1, 1, 2))
		for _, b := range p.Got {
			check(b)
		}
		if len(p.Got) > 0 && lost == before {
			whole[send], newest = true, send
		}
	}
	if lost < losses-2 || longest < losses-2 || newest != send {
		t.Errorf("%d datagrams lost; blocks relative to up to %d sends ago; the newest whole send is %d of %d", lost, longest, newest, send)
	}
}

// clockReads returns where a package of the core reads the clock or waits, as "file: function": every use of package time that
// is not a type, unit or conversion.
func clockReads(file string, f *ast.File) (reads []string) {
	name := "time"
	for _, imp := range f.Imports {
		if imp.Path.Value == `"time"` && imp.Name != nil {
			name = imp.Name.Name
		}
	}
	for _, decl := range f.Decls {
		where := "package"
		if fn, ok := decl.(*ast.FuncDecl); ok {
			where = fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(clocks, sel.Sel.Name) {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == name {
					reads = append(reads, file+": "+where)
				}
			}
			return true
		})
	}
	return reads
}

// clocks are the functions of package time whose results depend on the time of the call.
var clocks = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}

// realTime are the places that may read the clock: functions that run a peer in real time, defaults of start times, and real
// sockets.
var realTime = []string{
	"systems/realtime.go: runRealTime", "systems/realtime.go: advanceUntil",
	"systems/client.go: NewClient", "systems/client.go: Run", "systems/client_session.go: Dial",
	"systems/server.go: NewServer", "systems/server.go: Run",
	"systems/internal/overload/control.go: Measure", // under Server.Run alone
	"netsys/udp.go: read",
	// A process with rooms: Run and what it starts, and rooms.Config.Now where none was given.
	"systems/rooms/config.go: filled", "systems/rooms/room.go: Do", "systems/rooms/server.go: Run", "systems/rooms/turn.go: run",
	"systems/rooms/backgroundtasks.go: run", "systems/rooms/store.go: NewFileStore",
	"systems/recording/broadcast/broadcast.go: NewStream", "systems/recording/broadcast/broadcast.go: Relay", "systems/recording/broadcast/broadcast.go: ServeHTTP",
	"systems/host/wasm/exports.go: package", // that the page's time is the machine's
}

// Only the listed packages of the core read a clock. The test reads the source on disk. It checks itself with planted
// violations.
func TestDecision7_TimeIsAnArgument(t *testing.T) {
	t.Parallel()
	planted, err := parser.ParseFile(token.NewFileSet(), "planted.go", `package p
import clock "time"
func a() { _ = clock.Now() }
func b(d clock.Duration) { f := clock.Since; _ = f }
func c(t clock.Time) clock.Time { return t.Add(clock.Second) }
var start = clock.Now()
`, 0)
	if got, want := fmt.Sprint(clockReads("x", planted)), "[x: a x: b x: package]"; err != nil || got != want {
		t.Fatalf("planted reads: found %s, want %s; %v", got, want, err)
	}
	root, found := filepath.Join("..", "..", ".."), map[string]bool{}
	for _, folder := range []string{"ecs", "codec", "components", "netsys", "systems"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch name := d.Name(); {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"testdata", "eventloop", "websocket", "netsystest", "inspect", "runner", "swarm", "fleet",
				"web", "webtransport", "roomstest", "agones", "operator", "serve"}, name):
				return filepath.SkipDir // real sockets and HTTP, the kits for them, a tool for people, and commands
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, place := range clockReads(filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator))), f) {
				found[place] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, slices.Sorted(slices.Values(realTime))) {
		t.Errorf("%q read a clock, allowed are %q: take the time as an argument", got, realTime)
	}
}
