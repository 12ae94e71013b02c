package event_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// heard is a received event: its type, tick and value.
type heard struct {
	kind string
	tick uint32
	n    uint32
}

// actor is the world of one side. It simulates ticks and rewinds at random. In each run of a tick it raises, in any order, the
// events that the tick always raises, one whose value changes between runs, and one that is raised in some runs only.
type actor struct {
	hub     stepper
	random  *rand.Rand
	raise   func(kind string, n uint32)
	next    uint32
	horizon uint32
	most    map[uint32]int      // notes of a tick, in the run that raised most
	last    map[uint32][]uint32 // verdicts of the last run
}

func (a *actor) run(tick uint32) {
	a.hub.Start(tick)
	defer a.hub.Done()
	if tick%3 != 0 {
		return
	}
	base := 16 * tick
	all := []heard{{"note", tick, base}, {"spark", tick, base + 1}, {"verdict", tick, base + 2}, {"note", tick, base + 3 + a.random.Uint32N(3)}}
	if a.random.IntN(2) == 0 {
		all = append(all, heard{"verdict", tick, base + 6}, heard{"note", tick, base + 7})
	}
	a.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	notes := 0
	a.last[tick] = nil
	for _, e := range all {
		a.raise(e.kind, e.n)
		switch e.kind {
		case "note":
			notes++
		case "verdict":
			a.last[tick] = append(a.last[tick], e.n)
		}
	}
	a.most[tick] = max(a.most[tick], notes)
}

func (a *actor) step() {
	if from := a.next - min(a.next, a.random.Uint32N(8)); a.random.IntN(3) == 0 && from < a.next && from >= a.horizon {
		a.hub.Rewind(from)
		for tick := from; tick < a.next; tick++ {
			a.run(tick)
		}
	}
	a.run(a.next)
	a.next++
	if a.random.IntN(4) == 0 {
		a.raise("note", 1<<31+a.next) // as a handler would
	}
	a.horizon = max(a.horizon, a.next-min(a.next, a.random.Uint32N(12)))
	a.hub.Settle(a.horizon)
}

// check compares sent, the events that one peer raised, with got, the events that the other peer received.
func (a *actor) check(t *testing.T, who string, sent, got []heard) {
	t.Helper()
	reliable := func(all []heard) (of []heard) {
		for _, h := range all {
			if h.kind != "spark" {
				of = append(of, h)
			}
		}
		return of
	}
	if !slices.Equal(reliable(sent), reliable(got)) {
		t.Errorf("%s: told of %d reliable events, sent %d; or in another order", who, len(reliable(got)), len(reliable(sent)))
	}
	times := map[heard]int{}
	notes := map[uint32]int{}
	verdicts := map[uint32][]uint32{}
	for _, h := range got {
		if times[h]++; times[h] > 1 {
			t.Fatalf("%s: %v twice", who, h)
		}
		switch {
		case h.n >= 1<<31:
		case h.n/16 != h.tick:
			t.Fatalf("%s: %v has another tick", who, h)
		case h.kind == "note":
			notes[h.tick]++
		case h.kind == "verdict":
			verdicts[h.tick] = append(verdicts[h.tick], h.n)
		}
	}
	sparks := 0
	for tick := uint32(0); tick < a.next; tick += 3 {
		sparks += times[heard{"spark", tick, 16*tick + 1}]
		if times[heard{"note", tick, 16 * tick}] != 1 || notes[tick] != a.most[tick] {
			t.Fatalf("%s: tick %d: %d notes of %d", who, tick, notes[tick], a.most[tick])
		}
		if !slices.Equal(verdicts[tick], a.last[tick]) {
			t.Fatalf("%s: tick %d: verdicts %v, its last run raised %v", who, tick, verdicts[tick], a.last[tick])
		}
	}
	if n := int(a.next / 3); sparks == 0 || sparks == n {
		t.Errorf("%s: %d of %d sparks arrived: the link loses nothing, or all", who, sparks, n)
	}
}

// recorder is the channels of a session, with the accepted messages.
type recorder struct {
	to     event.Channels
	server bool // a server encodes twice the tick
	sent   []heard
}

func (r *recorder) Send(number int, data []byte) error {
	tick, _ := binary.Uvarint(data[1:])
	if r.server {
		tick /= 2
	}
	kind := []string{"note", "spark", "verdict"}[data[0]]
	r.sent = append(r.sent, heard{kind, uint32(tick), binary.LittleEndian.Uint32(data[len(data)-4:])})
	return r.to.Send(number, data)
}

// player is a client with its session.
type player struct {
	*actor
	m         *match
	endpoint  *netsys.Client
	client    *event.Client
	world     *ecs.World
	confirmed uint32
	ups       []heard // as the server is told
	downs     []heard // as it is told
	down, up  recorder
}

// match is a server and some players, each behind a bad link.
type match struct {
	*actor
	t        *testing.T
	now      time.Time
	endpoint *netsys.Server
	server   *event.Server
	players  map[uint32]*player
}

func (m *match) Connected(_ time.Time, s netsys.Session) {
	p := m.players[uint32(s.ClientID())]
	p.down.to, p.down.server = s.Channels(), true
	m.server.Join(uint32(s.ClientID()), 0, &p.down)
}

func (m *match) Message(_ time.Time, s netsys.Session, channel int, message []byte) {
	if took, err := m.server.Receive(uint32(s.ClientID()), channel, message); !took || err != nil {
		m.t.Errorf("server: %v, %v", took, err)
	}
}

func (m *match) Received(time.Time, netsys.Session, netsys.Packet)   {}
func (m *match) Acked(netsys.Session, uint16)                        {}
func (m *match) Disconnected(_ time.Time, _ netsys.Session, _ error) { m.t.Error("disconnected") }

func (p *player) Connected(_ time.Time, s netsys.Session) {
	p.up.to = s.Channels()
	p.client.Join(p.world, 0, &p.up)
}

func (p *player) Message(_ time.Time, _ netsys.Session, channel int, message []byte) {
	if took, err := p.client.Receive(channel, message); !took || err != nil {
		p.m.t.Errorf("client: %v, %v", took, err)
	}
}

func (p *player) Received(time.Time, netsys.Session, netsys.Packet)   {}
func (p *player) Acked(netsys.Session, uint16)                        {}
func (p *player) Disconnected(_ time.Time, _ netsys.Session, _ error) { p.m.t.Error("disconnected") }

func newMatch(t *testing.T, seed uint64, link netsys.Link) *match {
	m := &match{t: t, now: time.Unix(1e9, 0), players: map[uint32]*player{}}
	r := kit()
	network := netsys.NewNetwork()
	config := netsys.ServerConfig{Messages: r.Lines(), Random: netsys.SeededRandom(seed)}
	var err error
	if m.endpoint, err = netsys.NewServer(network.Node(netip.AddrPort{}), config); err != nil {
		t.Fatal(err)
	}
	newActor := func(hub stepper, raise func(string, uint32), n uint64) *actor {
		return &actor{hub: hub, raise: raise, random: rand.New(rand.NewPCG(seed, n)), most: map[uint32]int{}, last: map[uint32][]uint32{}}
	}
	sw := world()
	m.server = event.NewServer(r, event.ServerConfig{})
	m.server.Attach(sw, event.Hooks{})
	m.actor = newActor(m.server, func(kind string, n uint32) { raise(sw, event.ToAll(), kind, n) }, 0)
	onServer(m.server, func(from event.Sender, kind string, n uint32) {
		p := m.players[from.Client]
		p.ups = append(p.ups, heard{kind, from.Input, n})
	})
	for id := range uint32(3) {
		wire, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: seed + uint64(id), In: link, Out: link})
		if err != nil {
			t.Fatal(err)
		}
		p := &player{m: m}
		config := netsys.ClientConfig{Messages: r.Lines(), ClientID: uint64(id) + 1, Random: netsys.SeededRandom(seed + uint64(id))}
		if p.endpoint, err = netsys.NewClient(wire, m.endpoint.LocalAddr(), config); err != nil {
			t.Fatal(err)
		}
		cw := world()
		p.world = cw
		p.client = event.NewClient(r, event.ClientConfig{})
		p.actor = newActor(p.client, func(kind string, n uint32) { raise(cw, event.ToServer(), kind, n) }, uint64(id)+1)
		onClient(p.client, func(at event.Origin, kind string, n uint32) {
			if at.Tick >= p.confirmed {
				t.Errorf("%s of tick %d with %d ticks in the state", kind, at.Tick, p.confirmed)
			}
			p.downs = append(p.downs, heard{kind, at.Tick, n})
		})
		m.players[id+1] = p
	}
	return m
}

// step is a sixtieth of a second of everybody, in which work is done.
func (m *match) step(work func()) {
	m.now = m.now.Add(time.Second / 60)
	m.endpoint.Poll(m.now, m)
	for id := range uint32(3) {
		p := m.players[id+1]
		p.endpoint.Poll(m.now, p)
		// A state comes now and then.
		if p.random.IntN(3) == 0 {
			p.confirmed = max(p.confirmed, m.next-min(m.next, p.random.Uint32N(30)))
		}
		p.client.Deliver(p.confirmed, nil)
	}
	work()
	m.endpoint.Flush(m.now)
}

// Peers simulate ticks repeatedly, and packets are lost, duplicated and reordered: each receiver handles each event once and
// in order, and Final events are those that the last simulation raised.
func TestNetcodeC9_ExactlyOnceInEveryMatch(t *testing.T) {
	testgame.Seeds(t, 4, func(t *testing.T, seed uint64) {
		m := newMatch(t, seed, netsys.Link{Latency: 80 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.1, Duplicate: 0.1})
		for range 300 {
			m.step(func() {})
		}
		if m.endpoint.Len() != 3 {
			t.Fatalf("%d connected", m.endpoint.Len())
		}
		for range 900 {
			m.step(func() {
				m.actor.step()
				for id := range uint32(3) {
					m.players[id+1].step()
				}
			})
		}
		for range 600 {
			m.step(func() {
				m.server.Settle(m.next)
				for id := range uint32(3) {
					p := m.players[id+1]
					p.client.Settle(p.next)
					p.confirmed = m.next + 2
				}
			})
		}
		for id := range uint32(3) {
			p := m.players[id+1]
			m.check(t, fmt.Sprint("client ", id+1), p.down.sent, p.downs)
			p.check(t, fmt.Sprint("server from ", id+1), p.up.sent, p.ups)
			for name, st := range map[string]event.Stats{"client": p.client.Stats(), "server": m.server.Stats()} {
				if st.Late+st.Overflowed+st.Unsent+st.Early+st.Limited+st.Refused != 0 || st.Repeated == 0 || st.Changed == 0 || st.Unfounded == 0 {
					t.Errorf("%s: %+v", name, st)
				}
			}
		}
		t.Logf("%+v", m.server.Stats())
	})
}
