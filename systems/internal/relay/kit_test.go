package relay_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

type (
	place  = testgame.Spot
	health = testgame.Health
	steer  = testgame.Keys
)

// packet is a datagram in flight.
type packet struct {
	due  int // tick in which it is received
	seq  uint16
	data []byte
}

// link is one direction between two peers.
type link struct {
	rng      *rand.Rand
	latency  int // ticks
	jitter   int // more ticks, at most
	loss     float64
	dup      float64
	queue    []packet
	reliable []packet // in order, without losses
	seq      uint16
	bytes    int // sent as datagrams
	dead     bool
}

func (l *link) send(now int, data []byte) {
	if len(data) == 0 {
		return
	}
	l.bytes += len(data)
	for copies := 1; copies > 0; copies-- {
		if l.rng.Float64() < l.dup {
			copies++
		}
		if !l.dead && l.rng.Float64() >= l.loss {
			l.queue = append(l.queue, packet{now + l.latency + l.rng.IntN(l.jitter+1), l.seq, slices.Clone(data)})
		}
	}
	l.seq++
}

func (l *link) sendReliable(now int, data []byte) {
	due := now + 2*l.latency + l.jitter
	if n := len(l.reliable); n > 0 {
		due = max(due, l.reliable[n-1].due+1)
	}
	l.reliable = append(l.reliable, packet{due: due, data: slices.Clone(data)})
}

// arrived calls f for each packet that is due by now.
func (l *link) arrived(now int, f func(p packet)) {
	var due []packet
	l.queue = slices.DeleteFunc(l.queue, func(p packet) bool {
		if p.due <= now {
			due = append(due, p)
		}
		return p.due <= now
	})
	slices.SortStableFunc(due, func(a, b packet) int { return cmp.Compare(a.due, b.due) })
	for _, p := range due {
		f(p)
	}
}

func (l *link) delivered(now int, f func(data []byte)) {
	for len(l.reliable) > 0 && l.reliable[0].due <= now {
		f(l.reliable[0].data)
		l.reliable = l.reliable[1:]
	}
}

// end is a client in a match.
type end struct {
	*relay.Client
	player   uint32
	up, down *link
	clock    *clock.Server // nil: the test tells it how far behind it is
	acc      float64
	frames   int
	frozen   bool
	answered []int // ticks from gathering an input to its simulation
	gathered map[uint32]int
	recorder *relay.Recorder // nil: it records nothing
	viewer   *viewer
}

// match is a server and its clients on links, in virtual ticks.
type match struct {
	t       testing.TB
	server  *relay.Server
	ends    []*end
	now     int
	play    func(player uint32, frame int) steer
	config  relay.Config
	client  relay.ClientConfig
	clocks  bool
	hashes  map[uint32]uint64
	checked map[uint32]int
	rng     *rand.Rand
	limit   int
	blind   bool   // worlds may differ
	except  uint32 // the world of this player may differ
	parts   []func(p *ecs.Protocol)
}

// newMatch returns a match after its first tick. parts extend the protocol.
func newMatch(t testing.TB, c relay.Config, cc relay.ClientConfig, play func(player uint32, frame int) steer, parts ...func(p *ecs.Protocol)) *match {
	cc.Timeline.Wait = c.Timeline.Wait
	m := &match{
		t: t, server: relay.NewServer(testgame.Barracks(parts...), c), parts: parts, config: c, client: cc, play: play,
		hashes: map[uint32]uint64{}, checked: map[uint32]int{}, rng: rand.New(rand.NewPCG(1, 2)), limit: 1180,
	}
	m.step()
	return m
}

// join adds a client. latency is one way, in ticks.
func (m *match) join(player uint32, latency, jitter int, loss, dup float64) *end {
	m.t.Helper()
	testgame.Must(m.t, m.server.Add(player, true, ""))
	l := func(seed uint64) *link {
		return &link{rng: rand.New(rand.NewPCG(uint64(player), seed)), latency: latency, jitter: jitter, loss: loss, dup: dup}
	}
	e := &end{
		Client: relay.NewClient(testgame.Barracks(m.parts...), player, m.client), player: player, up: l(1), down: l(2), gathered: map[uint32]int{},
	}
	if m.clocks {
		e.clock = &clock.Server{}
	}
	m.ends = append(m.ends, e)
	return e
}

func (m *match) leave(player uint32) {
	m.server.Remove(player)
	m.ends = slices.DeleteFunc(m.ends, func(e *end) bool { return e.player == player })
}

// step runs one tick of the server and one frame of each client.
func (m *match) step() {
	m.t.Helper()
	m.now++
	for _, e := range m.ends {
		seen := map[uint16]bool{}
		e.up.arrived(m.now, func(p packet) {
			if !seen[p.seq] {
				testgame.Must(m.t, m.server.Receive(e.player, p.seq, p.data))
			}
			seen[p.seq] = true
		})
		e.up.delivered(m.now, func(b []byte) { testgame.Must(m.t, m.server.Deliver(e.player, b)) })
	}
	m.server.Step()
	for _, e := range m.ends {
		e.down.send(m.now, m.server.Append(nil, e.player, e.down.seq, m.limit))
		for {
			b, err := m.server.Outgoing(e.player, nil)
			testgame.Must(m.t, err)
			if b == nil {
				break
			}
			e.down.sendReliable(m.now, b)
			m.server.Sent(e.player)
		}
		m.frame(e)
	}
	m.compare()
}

// run runs n ticks.
func (m *match) run(ticks int) {
	m.t.Helper()
	m.until(m.now + ticks)
}

// until runs up to tick now.
func (m *match) until(now int) {
	m.t.Helper()
	for m.now < now {
		m.step()
	}
}

func (m *match) frame(e *end) {
	m.t.Helper()
	if e.frozen {
		return
	}
	e.frames++
	before := e.ServerTick()
	e.down.arrived(m.now, func(p packet) {
		testgame.Must(m.t, e.Receive(p.seq, p.data))
		if e.recorder != nil {
			testgame.Must(m.t, e.recorder.Write(m.now%100 == 0, e.viewer))
		}
	})
	e.down.delivered(m.now, func(b []byte) { testgame.Must(m.t, e.Deliver(b)) })
	if e.clock != nil && e.ServerTick() > before {
		e.clock.Heard(float64(e.frames), e.ServerTick(), float64(e.up.latency+e.down.latency+m.rng.IntN(2*e.up.jitter+1)))
	}
	for range m.ticks(e) {
		in := testgame.Words(m.play(e.player, m.now))
		if e.Due() {
			e.gathered[e.Timeline().Next()+uint32(e.Delay())] = m.now
		}
		if !e.Step(in) {
			break
		}
		if at, ok := e.gathered[e.Timeline().Next()-1]; ok {
			e.answered = append(e.answered, m.now-at)
			delete(e.gathered, e.Timeline().Next()-1)
		}
	}
	e.up.send(m.now, e.Append(nil, m.limit))
	for b := e.Outgoing(); b != nil; b = e.Outgoing() {
		e.up.sendReliable(m.now, b)
		e.Sent()
	}
}

// ticks returns how many ticks the client simulates in this frame.
func (m *match) ticks(e *end) int {
	next := e.Timeline().Next()
	switch {
	case !e.Following():
		return 0
	case m.config.Timeline.Wait:
		return 3
	case e.clock == nil:
		return min(int(m.server.Timeline().Next())-int(next), 4)
	}
	e.acc += e.clock.Rate(float64(e.frames), next, 4)
	n := int(e.acc)
	e.acc -= float64(n)
	return n
}

// compare fails the test unless final ticks are equal on all peers.
func (m *match) compare() {
	m.t.Helper()
	if m.blind {
		return
	}
	m.note(0, m.server.Timeline())
	for _, e := range m.ends {
		if e.Following() && e.player != m.except {
			m.note(e.player, e.Timeline())
		}
		if e.recorder != nil && e.viewer.Following() {
			m.note(e.player, e.viewer.Timeline())
		}
	}
}

// note fails the test unless the final ticks of a player are those of others.
func (m *match) note(who uint32, l *timeline.Timeline) {
	m.t.Helper()
	h := l.Horizon()
	for tick := h - min(h, 70); tick < h; tick++ {
		sum, ok := l.Hash(tick)
		if !ok {
			continue
		}
		want, known := m.hashes[tick]
		if !known {
			m.hashes[tick] = sum
		} else if want != sum {
			m.t.Fatalf("tick %d of %d: player %d has another world", tick, m.server.Timeline().Next(), who)
		}
		m.checked[who]++
	}
}

// always returns an input that changes every tick.
func always(player uint32, frame int) steer {
	r := rand.New(rand.NewPCG(uint64(player), uint64(frame)))
	return steer{DX: int8(r.IntN(3) - 1), DY: int8(r.IntN(3) - 1), Aim: float32(r.IntN(3600)) / 10, Fire: r.IntN(8) == 0}
}

// human returns inputs that hold keys for some time and turn sometimes.
func human(player uint32, frame int) steer {
	r := rand.New(rand.NewPCG(uint64(player), uint64(frame/20)))
	return steer{DX: int8(r.IntN(3) - 1), DY: int8(r.IntN(3) - 1), Aim: float32(r.IntN(3600)) / 10, Fire: frame%20 == 0}
}

// report logs what the match cost.
func (m *match) report() {
	m.t.Helper()
	server := m.server.Timeline().Stats()
	m.t.Logf("server: tick %d, again %d, longest %d; %+v", m.now, server.Resimulated, server.Longest, m.server.Stats())
	for _, e := range m.ends {
		s := e.Timeline().Stats()
		m.t.Logf("player %d: %.1f B up, %.1f B down a tick; again %d of %d, longest %d, %d behind; %+v", e.player,
			float64(e.up.bytes)/float64(e.frames), float64(e.down.bytes)/float64(e.frames), s.Resimulated, s.Ticks, s.Longest,
			int(m.server.Timeline().Next())-int(e.Timeline().Next()), e.Stats())
	}
}
