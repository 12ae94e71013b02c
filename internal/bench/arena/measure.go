package main

import (
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// match is a server and clients on the memory network.
type match struct {
	o       options
	server  *systems.Server
	clients []*client
	down    *tap
	truth   truth

	measuring bool
	snapshots []time.Duration // time of the Snapshot system at each send
	r         report
}

// client is one bot with its client.
type client struct {
	*systems.Client
	up       *tap
	compared uint32 // tick of the newest state compared
}

var serverAddr = netip.MustParseAddrPort("127.0.0.1:7777")

// newMatch makes a match of players bots; spectators have no entity and hear
// everything.
func newMatch(o options, players, spectators int) (*match, error) {
	m := &match{o: o}
	start := time.Unix(0, 0).UTC()
	network := netsys.NewNetwork()
	m.down = &tap{Wire: network.Node(serverAddr)}
	var err error
	m.server, err = systems.NewServer(m.down, protocol(o, players), systems.ServerConfig{
		Seed: o.seed, Start: start, MaxClients: players + spectators, Random: netsys.SeededRandom(o.seed),
		Coders:   o.coders(),
		Schedule: m.watch,
	})
	if err != nil {
		return nil, err
	}
	game.Populate(m.server.World(), o.clients, o.npcs)
	for n := range players + spectators {
		if err := m.add(network, n, players, players+spectators, start); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// protocol is the arena's for so many players, with or without the hint.
func protocol(o options, players int) *ecs.Protocol {
	return game.Variant{NoHint: !o.hint, Players: players}.Protocol()
}

func (o options) coders() delta.Coders {
	if o.coder == "zstd" {
		return delta.ZstdOnly
	}
	return delta.AnyCoder
}

// add makes the n-th client.
func (m *match) add(network *netsys.Network, n, players, all int, start time.Time) error {
	seed := m.o.seed*0x9e3779b97f4a7c15 + uint64(n) + 1
	link := netsys.Link{Latency: m.o.rtt.of(n, all) / 2, Jitter: m.o.jitter, Loss: m.o.loss}
	node := network.Node(netip.AddrPortFrom(serverAddr.Addr(), uint16(10_000+n)))
	wire, err := netsys.Condition(node, netsys.ConditionerConfig{Seed: seed, In: link, Out: link})
	if err != nil {
		return err
	}
	c := &client{up: &tap{Wire: wire}}
	config := systems.ClientConfig{
		Start:  start.Add(time.Second / 60 * time.Duration(n) / time.Duration(all)),
		Random: netsys.SeededRandom(seed),
	}
	if n < players {
		config.Gather = game.NewBot(m.o.seed, n, players).Gather()
	}
	if c.Client, err = systems.NewClient(c.up, serverAddr, protocol(m.o, players), config); err != nil {
		return err
	}
	m.clients = append(m.clients, c)
	return nil
}

// watch puts the watches into the server's schedule.
func (m *match) watch(s *ecs.Schedule) error {
	err := s.Wrap("Snapshot", func(run func(*ecs.World)) func(*ecs.World) {
		return func(w *ecs.World) {
			sends := m.server.Stats().Sends
			began := time.Now()
			run(w)
			took := time.Since(began)
			if m.measuring && m.server.Stats().Sends > sends {
				m.snapshots = append(m.snapshots, took)
			}
		}
	})
	if err != nil {
		return err
	}
	return s.InsertBefore("Snapshot", ecs.System{Name: "truth", Run: func(w *ecs.World) { m.truth.step(w, m.server.Tick(), m.measuring) }})
}

// play advances whoever is due next, up to a time.
func (m *match) play(until time.Time, each func(*client)) error {
	for {
		next, who := m.server.Next(), (*client)(nil)
		for _, c := range m.clients {
			if c.Err() != nil {
				return fmt.Errorf("client %d: %w", c.ID(), c.Err())
			}
			if t := c.Next(); t.Before(next) {
				next, who = t, c
			}
		}
		switch {
		case next.After(until):
			return nil
		case who == nil:
			m.server.Advance(next)
		case who.Advance(next) > 0 && each != nil:
			each(who)
		}
	}
}

// compare holds what a client knows against the server.
func (m *match) compare(c *client) {
	if c.ServerTick() == c.compared {
		return
	}
	c.compared = c.ServerTick()
	m.r.Compared++
	if err := systems.Difference(m.server, c.Client); err != nil {
		m.r.Exact = false
		if m.r.Difference == "" {
			m.r.Difference = fmt.Sprintf("client %d: %v", c.ID(), err)
		}
	}
	w := c.World()
	position := ecs.ComponentOf[components.Position](w.Protocol())
	for t := range w.Netcode().Tables {
		if t.Simulated || t.Column(position) == nil {
			continue
		}
		for i, p := range unsafe.Slice((*components.Position)(t.Column(position)), len(t.NetIDs)) {
			m.r.MaxError = max(m.r.MaxError, m.truth.err(c.compared, t.NetIDs[i], p.X, p.Y))
		}
	}
}

// measure plays the match of the options and reports.
func measure(o options, progress io.Writer) (*report, error) {
	m, err := newMatch(o, o.clients, 0)
	if err != nil {
		return nil, err
	}
	m.r.Exact = true
	start := time.Unix(0, 0).UTC()
	at := start.Add(warmup * time.Second)
	if err := m.play(at, nil); err != nil {
		return nil, err
	}
	before := m.server.Stats()
	m.measure(true)
	for s := range o.seconds {
		at = at.Add(time.Second)
		if err := m.play(at, m.compare); err != nil {
			return nil, err
		}
		if s%5 == 4 {
			fmt.Fprintf(progress, "%d s of %d s\n", s+1, o.seconds)
		}
	}
	m.measure(false)
	m.sum(before)
	fmt.Fprintln(progress, "measuring what one client more costs")
	m.r.ExtraClientVsEncode, err = extra(o, progress)
	return &m.r, err
}

// measure begins or ends measuring.
func (m *match) measure(on bool) {
	m.measuring, m.down.counting = on, on
	for _, c := range m.clients {
		c.up.counting = on
	}
}

// sum makes the report; before are the server's figures when measuring began.
func (m *match) sum(before systems.ServerStats) {
	r, after := &m.r, m.server.Stats()
	m.down.settle()
	r.Updates = uint64(len(m.down.updates))
	slices.Sort(m.snapshots)
	if r.Updates > 0 {
		r.BytesPerUpdate = float64(m.down.bytes) / float64(r.Updates)
		r.EncodeUsPerUpdate = m.snapshots[len(m.snapshots)/2].Seconds() * 1e6 / float64(m.o.clients)
	}
	r.BytesP95, r.DatagramsMax = m.down.percentile(0.95), m.down.datagrams
	var up uint64
	for _, c := range m.clients {
		up += c.up.bytes
	}
	r.BytesUpPerClientS = float64(up) / float64(m.o.clients*m.o.seconds)
	if sends := after.Sends - before.Sends; sends > 0 {
		r.DistinctEncodesPerTick = float64(after.Encodes.Entities-before.Encodes.Entities) / float64(sends) / float64(m.o.clients+m.o.npcs)
	}
	raw := float64(after.Snapshots.Raw.Bytes - before.Snapshots.Raw.Bytes)
	zstd := float64(after.Snapshots.Zstd.Bytes - before.Snapshots.Zstd.Bytes)
	ranged := float64(after.Snapshots.Range.Bytes - before.Snapshots.Range.Bytes)
	if all := raw + zstd + ranged; all > 0 {
		r.ZstdShare, r.RangeShare = zstd/all, ranged/all
	}
	r.NPCUnitsTravelled = m.truth.travelled
	r.ChangesPerS = float64(m.truth.changes) / float64(m.o.seconds)
}

// extra compares the time of one client more with that of one encode: the same
// world with no client, with one, and with many who all hold the same, taking
// turns; all at the mean round trip.
func extra(o options, progress io.Writer) (float64, error) {
	const many, rounds = 101, 10
	mean := (o.rtt.from + o.rtt.to) / 2
	o.npcs, o.rtt, o.jitter, o.loss = o.npcs+o.clients, spread{mean, mean}, 0, 0
	o.clients = 0
	var matches []*match
	for _, clients := range []int{0, 1, many} {
		m, err := newMatch(o, 0, clients)
		if err != nil {
			return 0, err
		}
		matches = append(matches, m)
	}
	for round := range rounds + 1 {
		for _, m := range matches {
			m.measuring = round > 0
			if err := m.play(time.Unix(int64(round+1), 0), nil); err != nil {
				return 0, err
			}
		}
	}
	var took [3]float64
	for i, m := range matches {
		slices.Sort(m.snapshots)
		took[i] = m.snapshots[len(m.snapshots)/2].Seconds() * 1e6
	}
	encode, one := took[1]-took[0], (took[2]-took[1])/(many-1)
	fmt.Fprintf(progress, "capture %.1f µs, encode %.1f µs, one client more %.2f µs\n", took[0], encode, one)
	return one / encode, nil
}
