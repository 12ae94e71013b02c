package host_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

var link = netsys.Link{Latency: 40 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.02}

// A host's tables are the memory of the view: every row that a walk of the view finds, with the same values at the same
// place, predicted spawns included.
func TestTablesAreTheView(t *testing.T) {
	p := protocol()
	m := newMatch(t, protocol(), systems.ServerConfig{})
	k := m.join(p, link, m.config())
	m.join(protocol(), link, m.config())
	rows, spawns := 0, 0
	m.play(4*time.Second, 90, func() {
		must(t, k.SetInput(bytesOf(keys{DX: 1, Jump: m.now.UnixMilli()%500 < 12})))
		seen := map[ecs.Entity]place{}
		for i := range k.Tables() {
			table := &k.Tables()[i]
			places := column[place](p, table)
			if places == nil {
				continue
			}
			for r, e := range table.Handles {
				seen[e] = places[r]
				switch {
				case table.NetIDs == nil:
					spawns++
				case k.Client().View().NetID(e) != table.NetIDs[r]:
					t.Fatalf("%v is called %d", e, table.NetIDs[r])
				}
				if ecs.Get[place](k.Client().View(), e) != &places[r] {
					t.Fatalf("the place of %v lies elsewhere", e)
				}
			}
			if table.Columns[placeOf[keys](p)] != nil || table.Mask>>placeOf[keys](p)&1 != 0 {
				t.Fatal("a view has inputs")
			}
		}
		if w := k.Client().View(); w != nil {
			for e, x := range ecs.All[struct{ Place place }](w) {
				rows++
				if seen[e] != x.Place {
					t.Fatalf("%v is at %v, in the tables %v", e, x.Place, seen[e])
				}
				delete(seen, e)
			}
		}
		if len(seen) > 0 {
			t.Fatalf("the view has no %v", seen)
		}
	})
	if rows < 300 || spawns < 10 {
		t.Errorf("%d rows looked at, %d of predicted spawns", rows, spawns)
	}
	if own := column[place](p, ownTable(k)); len(own) != 1 || own[0].X < 30 {
		t.Errorf("own places %v", own)
	}
}

// ownTable returns the table of the player.
func ownTable(k *player) *host.Table {
	for i := range k.Tables() {
		if t := &k.Tables()[i]; slices.Contains(t.NetIDs, components.NetID(k.Stats().Own)) {
			return t
		}
	}
	return &host.Table{}
}

// The news of rows that appeared and disappeared agree with the tables in every frame. A predicted spawn keeps its handle when
// the server confirms it.
func TestRowsComeAndGo(t *testing.T) {
	m := newMatch(t, protocol(), systems.ServerConfig{})
	k := m.join(protocol(), link, m.config())
	here := map[uint64]bool{}
	came, gone, named := 0, 0, 0
	ids := map[uint64]uint32{}
	m.play(5*time.Second, 70, func() {
		must(t, k.SetInput(bytesOf(keys{Jump: m.now.UnixMilli()%700 < 15})))
		for _, n := range k.News() {
			switch {
			case n.Kind == host.NewsCame && !here[n.Row]:
				here[n.Row] = true
				came++
			case n.Kind == host.NewsGone && here[n.Row]:
				delete(here, n.Row)
				delete(ids, n.Row)
				gone++
			case n.Kind <= host.NewsCame:
				t.Fatalf("%+v of a row that was, or was not, there", n)
			}
		}
		rows := 0
		for _, table := range k.Tables() {
			rows += table.Rows
			for r, e := range table.Handles {
				key := valueOf[uint64](bytesOf(e))
				if !here[key] {
					t.Fatalf("%v never came", e)
				}
				if table.NetIDs != nil {
					if old, known := ids[key]; known && old == 0 {
						named++
					}
					ids[key] = uint32(table.NetIDs[r])
				} else {
					ids[key] = 0
				}
			}
		}
		if rows != len(here) || float64(rows) != k.Stats().Rows {
			t.Fatalf("%d rows, %d came and did not go, %v by the stats", rows, len(here), k.Stats().Rows)
		}
	})
	if came < 6 || gone < 4 || named < 3 {
		t.Errorf("%d came, %d went, %d got their names", came, gone, named)
	}
}

// While the generation stays, pointers and lengths do; and it does stay.
func TestGeneration(t *testing.T) {
	m := newMatch(t, protocol(), systems.ServerConfig{})
	k := m.join(protocol(), netsys.Link{}, m.config())
	type at struct {
		mask uint64
		rows int
		base unsafe.Pointer
		cols string
	}
	var was []at
	old, same, moved := uint32(0), 0, 0
	m.play(4*time.Second, 60, func() {
		must(t, k.SetInput(bytesOf(keys{DX: 1, Jump: m.now.UnixMilli()%900 < 17})))
		var is []at
		for _, x := range k.Tables() {
			is = append(is, at{x.Mask, x.Rows, unsafe.Pointer(unsafe.SliceData(x.Handles)), string(bytesOf([4]unsafe.Pointer(x.Columns[:4])))})
		}
		switch {
		case k.Generation() != old:
			moved++
		case !slices.Equal(is, was):
			t.Fatalf("generation %d, and tables moved: %v, %v", old, was, is)
		default:
			same++
		}
		was, old = is, k.Generation()
	})
	if same < 150 || moved < 5 {
		t.Errorf("%d frames like the one before, %d not", same, moved)
	}
}

// Presses wait for their tick, however many inputs without them come before it, and one tick has them.
func TestPressesAreNotLost(t *testing.T) {
	p := protocol()
	m := newMatch(t, protocol(), systems.ServerConfig{})
	k := m.join(p, netsys.Link{}, m.config())
	m.play(time.Second, 60, nil)
	pressed := 0
	for i := range 200 { // five frames to a tick
		if i%25 == 3 {
			must(t, k.SetInput(bytesOf(keys{Jump: true, Acts: 2, Mood: 2})))
			pressed++
		}
		must(t, k.SetInput(bytesOf(keys{Mood: 2})))
		m.play(time.Second/300, 300, nil)
	}
	m.play(time.Second, 60, nil)
	for _, x := range ecs.All[struct{ Leaps leaps }](m.server.World()) {
		if int(x.Leaps.Count) != pressed || x.Leaps.Acts != 2 || x.Leaps.Mood != 2 {
			t.Errorf("%d presses, and the server has %+v", pressed, x.Leaps)
		}
	}
}

// Any bytes of the right length are an input: numbers come into their ranges, and the claim is not the host's to make.
func TestInputsOfAnyBytes(t *testing.T) {
	m := newMatch(t, protocol(), systems.ServerConfig{})
	k := m.join(protocol(), netsys.Link{}, m.config())
	all := make([]byte, k.InputSize())
	for i := range all {
		all[i] = 0xff
	}
	m.play(2*time.Second, 60, func() { must(t, k.SetInput(all)) })
	for _, x := range ecs.All[struct {
		Place place
		Leaps leaps
	}](m.server.World()) {
		if x.Place.X > 0 || x.Place.Y > 0 || x.Leaps.Mood != 2 || x.Leaps.Acts != 7 || x.Leaps.Count == 0 {
			t.Errorf("%+v", x)
		}
	}
	if s := m.server.Stats(); s.Inputs.Rejected > 0 {
		t.Errorf("%d inputs rejected", s.Inputs.Rejected)
	}
	for _, n := range []int{0, 1, len(all) - 1, len(all) + 1, 1 << 16} {
		if err := k.SetInput(make([]byte, n)); err == nil {
			t.Errorf("an input of %d bytes is taken", n)
		}
	}
}

// Single returns a pointer to a singleton, and nil for other components.
func TestSingle(t *testing.T) {
	p := protocol()
	m := newMatch(t, protocol(), systems.ServerConfig{})
	k := m.join(p, netsys.Link{}, m.config())
	if k.Single(placeOf[score](p)) != nil {
		t.Error("there is a score before there is a world")
	}
	m.play(2*time.Second, 60, nil)
	at := k.Single(placeOf[score](p))
	if at == nil || (*score)(at).Points < 9 {
		t.Errorf("score %v", at)
	}
	for _, i := range []int{-1, placeOf[place](p), 63, 1 << 30} {
		if k.Single(i) != nil {
			t.Errorf("component %d is a singleton", i)
		}
	}
}

// Messages, events and commands go both ways, with their values as they lie in memory.
func TestMessagesEventsCommands(t *testing.T) {
	p := protocol()
	m := newMatch(t, protocol(), systems.ServerConfig{
		Players: systems.Players{RefuseCommands: []systems.RefuseCommandFunc{systems.RefuseCommand(func(_ *ecs.World, _ uint32, r *rename) error {
			if r.Loud {
				return errNotSoLoud
			}
			return nil
		})}},
	})
	k := m.join(p, link, m.config())
	raw, own := m.config(), 0 // a host without messages in its Book, whose client takes them itself
	raw.Book = &host.Book{}
	raw.Client.Session.OnMessage = func(*systems.Client, int, []byte) error { own++; return nil }
	m.join(protocol(), link, raw)
	if err := k.Send(0, make([]byte, unsafe.Sizeof(said{}))); err == nil {
		t.Error("sent without a session")
	}
	m.play(time.Second, 60, nil)
	var text said
	text.Text.Set("hello")
	var name rename
	name.Name.Set("Ada")
	must(t, k.Send(0, bytesOf(text)))
	must(t, k.Raise(0, bytesOf(bang{Loud: 3})))
	must(t, k.Command(0, bytesOf(name)))
	name.Loud = true
	must(t, k.Command(0, bytesOf(name)))
	var heard []string
	refused := ""
	m.play(time.Second, 60, func() {
		for _, n := range k.News() {
			switch n.Kind {
			case host.NewsEvent:
				heard = append(heard, strings.Repeat("!", int(valueOf[bang](k.Value(n)).Loud)))
			case host.NewsRefused:
				refused = string(k.Value(n))
				if systems.RefusalCause(n.Which) != systems.RefusedCommand {
					t.Errorf("%+v", n)
				}
			}
		}
	})
	if !slices.Equal(m.heard, []string{"hello"}) || m.bangs != 3 || !slices.Equal(heard, []string{"!!!!"}) || refused != errNotSoLoud.Error() {
		t.Errorf("the server heard %q and %d, the host %q, refused %q", m.heard, m.bangs, heard, refused)
	}
	if tags := column[tag](p, ownTable(k)); len(tags) != 1 || tags[0].Name.String() != "Ada" {
		t.Errorf("called %v", tags)
	}
	for c := range m.server.Clients {
		must(t, m.types.said.Send(m.server.Session(c.ID).Channels(), &text))
	}
	var told strings.Builder
	m.play(time.Second, 60, func() {
		for _, n := range k.News() {
			if n.Kind == host.NewsMessage {
				v := valueOf[said](k.Value(n))
				told.WriteString(v.Text.String())
			}
		}
	})
	if told.String() != "hello" || own != 1 {
		t.Errorf("told %q, and %d to the other", told.String(), own)
	}
	for what, err := range map[string]error{
		"no such message": k.Send(1, bytesOf(text)), "no such event": k.Raise(-1, nil), "no such command": k.Command(1, nil),
		"a short message": k.Send(0, nil), "a long event": k.Raise(0, make([]byte, 9)), "a short command": k.Command(0, []byte{1}),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// A host logs in with the bytes of a login.
func TestLogin(t *testing.T) {
	p := protocol()
	m := newMatch(t, protocol(), systems.ServerConfig{})
	var who tag
	who.Name.Set("Ada")
	c := m.config()
	c.Login = bytesOf(who)
	k := m.join(p, netsys.Link{}, c)
	m.play(time.Second, 60, nil)
	if tags := column[tag](p, ownTable(k)); len(tags) != 1 || tags[0].Name.String() != "Ada" {
		t.Errorf("called %v", tags)
	}
	c = m.config()
	c.Login = bytesOf(who)[1:]
	if _, err := m.tryJoin(p, netsys.Link{}, c); !errors.Is(err, host.ErrConfig) || !errors.Is(err, host.ErrValue) {
		t.Errorf("a short login: %v", err)
	}
	c.Login = []byte{}
	if _, err := m.tryJoin(ecs.NewProtocol("nobody/1"), netsys.Link{}, host.Config{Login: c.Login}); !errors.Is(err, host.ErrConfig) {
		t.Errorf("a login where nobody joins: %v", err)
	}
}

// A frame without news allocates nothing, with other entities in view and changing input.
func TestFramesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	p := protocol()
	m := newMatch(t, protocol(), systems.ServerConfig{})
	c := m.config()
	c.Partial = true
	k := m.join(p, netsys.Link{Latency: 20 * time.Millisecond}, c)
	for range 4 {
		m.join(protocol(), netsys.Link{}, m.config())
	}
	for i := range 100 {
		m.server.World().Spawn(place{X: float32(i)}, leaps{})
	}
	m.play(4*time.Second, 60, nil)
	in := bytesOf(keys{DX: 1})
	waiting := make([][]byte, 16)
	for i := range waiting {
		waiting[i] = make([]byte, 0, netsys.MaxDatagram)
	}
	var counted float64
	for range 200 {
		m.now = m.now.Add(time.Second / 60)
		m.server.Advance(m.now)
		for _, x := range m.hosts[1:] {
			x.node.Poll(m.now, func(d netsys.Datagram) { _ = x.wire.Push(m.now, d.Data) })
			_, _ = x.Advance(m.now)
		}
		k.node.Poll(m.now, func(d netsys.Datagram) { _ = k.wire.Push(m.now, d.Data) })
		waiting = waiting[:0]
		k.held = &waiting                           // the network in memory allocates now and then
		counted += testing.AllocsPerRun(1, func() { // the first of its two runs is not counted: it is half a frame
			in[0] ^= 0xfe
			_ = k.SetInput(in)
			_, _ = k.Advance(m.now)
			_ = k.Frame(m.now)
			for _, t := range k.Tables() {
				_ = t
			}
			_ = k.Single(placeOf[score](p))
			m.now = m.now.Add(time.Second / 120)
		})
		k.held = nil
		for _, b := range waiting {
			must(t, k.node.Send(m.now, m.at, b))
		}
	}
	if counted > 0 {
		t.Errorf("%v allocations in 200 frames", counted)
	}
	if f := k.Stats(); f.Rows < 105 || f.Joined != 1 || f.Corrections > 0 || f.RTT < 30 || f.ReceivedRate < 100 || f.Own == 0 {
		t.Errorf("%+v", *f)
	}
}
