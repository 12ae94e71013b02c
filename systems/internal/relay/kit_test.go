package relay_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// The game of most tests: players walk and shoot, what they shoot flies and
// wounds, and rocks come and go of themselves.
type (
	place struct {
		X, Y int32 `net:"raw"`
	}
	speed struct {
		X, Y float32 `net:"raw"`
	}
	health struct {
		Points int16 `net:"raw"`
	}
	steer struct {
		DX, DY int8    `net:"-1..1"`
		Aim    float32 `net:"degrees 0.1"`
		Fire   bool    `net:"edge"`
	}
	// fuse stays on its peer, and decides all the same.
	fuse struct {
		Left uint8
		Slow bool
	}
	score struct {
		Hits uint32 `net:"raw"`
	}

	soldier struct {
		Owner  components.Owner
		Place  place
		Health health
		Steer  steer
	}
	shot struct {
		Owner components.Owner
		Place place
		Speed speed
		Fuse  fuse
	}
	rock struct {
		Place place
		Fuse  fuse
	}
)

// quirk makes a world of a peer simulate what others do not.
type quirk struct {
	from  uint32
	to    uint32 // the first tick in which it is over; 0: it never is
	draws int32  // state outside the world
}

// ran counts the runs of Simulate in a world.
type ran struct{ times int }

func game() *ecs.Protocol {
	p := ecs.NewProtocol("relayed/1")
	ecs.Replicate[place](p, 0)
	ecs.Replicate[speed](p, 0)
	ecs.Replicate[health](p, 0)
	ecs.Local[fuse](p, ecs.Predicted)
	ecs.Singleton[score](p, 0)
	ecs.Input[steer](p)
	p.Simulate("walk", func(w *ecs.World) {
		ecs.Resource[ran](w).times++
		type row struct {
			Place *place
			Steer *steer
			Owner *components.Owner
		}
		for e, r := range ecs.EachInOrder[row](w) {
			r.Place.X += int32(r.Steer.DX)
			r.Place.Y += int32(r.Steer.DY)
			if r.Steer.Fire {
				draw := w.Rand(e)
				ecs.Spawn(w, shot{*r.Owner, *r.Place, speed{r.Steer.Aim / 90, draw.Float32()}, fuse{uint8(3 + draw.IntN(5)), draw.IntN(2) == 0}})
			}
		}
	})
	p.Simulate("fly", func(w *ecs.World) {
		type flying struct {
			Place *place
			Speed *speed
			Fuse  *fuse
			Owner *components.Owner
		}
		type target struct {
			Place  *place
			Health *health
			Owner  *components.Owner
		}
		hits := uint32(0)
		for e, r := range ecs.EachInOrder[flying](w) {
			r.Speed.X *= 0.9
			r.Place.X += int32(r.Speed.X * 10)
			r.Place.Y += int32(r.Speed.Y * 10)
			if r.Fuse.Left--; r.Fuse.Left == 0 {
				w.Despawn(e)
			}
			for _, o := range ecs.Each[target](w) {
				if o.Owner.Client != r.Owner.Client && abs(o.Place.X-r.Place.X)+abs(o.Place.Y-r.Place.Y) < 12 {
					o.Health.Points--
					hits++
				}
			}
		}
		for _, s := range ecs.Each[struct{ Score *score }](w) {
			s.Score.Hits += hits
		}
	})
	p.Simulate("drift", func(w *ecs.World) {
		q := ecs.Resource[quirk](w)
		if q == nil || w.Tick() < q.from || q.to > 0 && w.Tick() >= q.to {
			return
		}
		for _, r := range ecs.EachInOrder[struct{ Health *health }](w) {
			q.draws++
			r.Health.Points += int16(q.draws % 3)
		}
	})
	p.Authority("rocks", func(w *ecs.World) {
		type rolling struct {
			Place *place
			Fuse  *fuse
			_     ecs.Without[speed]
		}
		if draw := w.Rand(ecs.Entity{}); draw.IntN(5) == 0 {
			ecs.Spawn(w, rock{place{int32(draw.IntN(40)), 0}, fuse{uint8(1 + draw.IntN(20)), true}})
		}
		for e, r := range ecs.Each[rolling](w) {
			r.Place.Y++
			if r.Fuse.Left--; r.Fuse.Left == 0 {
				w.Despawn(e)
			}
		}
	})
	return p
}

func abs(n int32) int32 { return max(n, -n) }

func enlist(w *ecs.World, player uint32) {
	ecs.Spawn(w, soldier{Owner: components.Owner{Client: player}, Place: place{X: int32(player) * 5}, Health: health{1000}})
}

// leaver takes away a player's entities without allocations.
func leaver() func(w *ecs.World, player uint32) {
	type owned struct{ Owner *components.Owner }
	gone := make([]ecs.Entity, 0, 256)
	return func(w *ecs.World, player uint32) {
		gone = gone[:0]
		for e, r := range ecs.EachInOrder[owned](w) {
			if r.Owner.Client == player {
				gone = append(gone, e)
			}
		}
		for _, e := range gone {
			w.Despawn(e)
		}
	}
}

func newWorld() *ecs.World {
	w := ecs.NewWorld(game(), ecs.Config{Seed: 7})
	ecs.SetResource(w, &ran{})
	return w
}

// runs is how often Simulate has run in the timeline's world.
func runs(t *timeline.Timeline) int { return ecs.Resource[ran](t.World()).times }

var steerTable = game().Input().Schema

// words is an input as it travels.
func words(in steer) []int32 {
	w := make([]int32, steerTable.Words)
	steerTable.Quantize(w, steerTable.Words, unsafe.Pointer(&in), 1)
	return w
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// packet is a datagram under way.
type packet struct {
	due  int // tick in whose Receive it is seen
	seq  uint16
	data []byte
}

// link is one way between two peers.
type link struct {
	rng      *rand.Rand
	latency  int // ticks
	jitter   int // more ticks, at most
	loss     float64
	dup      float64
	queue    []packet
	reliable []packet // in order, nothing lost
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

// arrived calls f for what arrives by now; packets that were given twice come once, as
// from a session.
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
	clock    *clock.Server // nil: told by the test how late it is
	acc      float64
	frames   int
	frozen   bool
	answered []int // ticks from gathering an input to its simulation
	gathered map[uint32]int
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
	blind   bool   // worlds need not agree
	except  uint32 // the world of this player need not
}

func newMatch(t testing.TB, c relay.Config, cc relay.ClientConfig, play func(player uint32, frame int) steer) *match {
	c.Timeline.Join, c.Timeline.Leave = enlist, leaver()
	cc.Timeline.Join, cc.Timeline.Leave = enlist, leaver()
	cc.Timeline.Wait = c.Timeline.Wait
	return &match{
		t: t, server: relay.NewServer(newWorld(), c), config: c, client: cc, play: play,
		hashes: map[uint32]uint64{}, checked: map[uint32]int{}, rng: rand.New(rand.NewPCG(1, 2)), limit: 1180,
	}
}

// join adds a client with links of so many ticks one way.
func (m *match) join(player uint32, latency, jitter int, loss, dup float64) *end {
	m.t.Helper()
	must(m.t, m.server.Add(player, true))
	l := func(seed uint64) *link {
		return &link{rng: rand.New(rand.NewPCG(uint64(player), seed)), latency: latency, jitter: jitter, loss: loss, dup: dup}
	}
	e := &end{
		Client: relay.NewClient(newWorld(), player, m.client), player: player, up: l(1), down: l(2), gathered: map[uint32]int{},
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

// step is one tick of the server, and a frame of each client.
func (m *match) step() {
	m.t.Helper()
	m.now++
	for _, e := range m.ends {
		seen := map[uint16]bool{}
		e.up.arrived(m.now, func(p packet) {
			if !seen[p.seq] {
				must(m.t, m.server.Receive(e.player, p.seq, p.data))
			}
			seen[p.seq] = true
		})
		e.up.delivered(m.now, func(b []byte) { must(m.t, m.server.Deliver(e.player, b)) })
	}
	m.server.Step()
	for _, e := range m.ends {
		e.down.send(m.now, m.server.Append(nil, e.player, e.down.seq, m.limit))
		for {
			b, err := m.server.Outgoing(e.player, nil)
			must(m.t, err)
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

func (m *match) frame(e *end) {
	m.t.Helper()
	if e.frozen {
		return
	}
	e.frames++
	before := e.ServerTick()
	e.down.arrived(m.now, func(p packet) { must(m.t, e.Receive(p.seq, p.data)) })
	e.down.delivered(m.now, func(b []byte) { must(m.t, e.Deliver(b)) })
	if e.clock != nil && e.ServerTick() > before {
		e.clock.Heard(float64(e.frames), e.ServerTick(), float64(e.up.latency+e.down.latency+m.rng.IntN(2*e.up.jitter+1)))
	}
	for range m.ticks(e) {
		in := words(m.play(e.player, m.now))
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

// ticks is how many the client makes in this frame.
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

// compare demands that final ticks are equal on all peers.
func (m *match) compare() {
	m.t.Helper()
	if m.blind {
		return
	}
	note := func(who uint32, l *timeline.Timeline) {
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
	note(0, m.server.Timeline())
	for _, e := range m.ends {
		if e.Following() && e.player != m.except {
			note(e.player, e.Timeline())
		}
	}
}

// always is an input that changes every tick.
func always(player uint32, frame int) steer {
	r := rand.New(rand.NewPCG(uint64(player), uint64(frame)))
	return steer{int8(r.IntN(3) - 1), int8(r.IntN(3) - 1), float32(r.IntN(3600)) / 10, r.IntN(8) == 0}
}

// human holds keys for some time and turns now and then.
func human(player uint32, frame int) steer {
	r := rand.New(rand.NewPCG(uint64(player), uint64(frame/20)))
	return steer{int8(r.IntN(3) - 1), int8(r.IntN(3) - 1), float32(r.IntN(3600)) / 10, frame%20 == 0}
}
