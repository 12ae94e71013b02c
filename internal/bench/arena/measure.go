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
	"github.com/tactusgo/tactus/systems/systemstest"
)

// match is a match in virtual time with its measurements.
type match struct {
	*systemstest.Crowd
	o        options
	down     tap      // transport of the server
	bytesUp  uint64   // messages sent by clients
	truth    truth    // history of the server's world
	compared []uint32 // tick of the newest compared state, by client

	measuring, comparing bool
	snapshots            []time.Duration // time of the Snapshot system at each send tick
	r                    report
}

// newMatch creates a match of bots and spectators. Spectators have no entity and receive everything.
func newMatch(o options, players, spectators int) (*match, error) {
	all := players + spectators
	m := &match{o: o, compared: make([]uint32, all)}
	seed := func(n int) uint64 { return o.seed*0x9e3779b97f4a7c15 + uint64(n) + 1 }
	var err error
	m.Crowd, err = systemstest.Open(systemstest.Config{
		Protocol:   func() *ecs.Protocol { return protocol(o, players) },
		Populate:   func(w *ecs.World) { game.Populate(w, o.clients, o.npcs) },
		Server:     systems.ServerConfig{MaxClients: all, Snapshots: systems.Snapshots{SendRate: systems.UsualSendRate, Coders: o.coders()}, Schedule: m.watch},
		ServerAddr: netip.MustParseAddrPort("127.0.0.1:7777"),
		ServerWire: func(w netsys.Wire) netsys.Wire { m.down.Wire = w; return &m.down },
		Client: func(n int) systems.ClientConfig {
			c := systems.ClientConfig{
				Start:   epoch.Add(time.Second / 60 * time.Duration(n) / time.Duration(all)),
				Session: systems.ClientSession{Random: netsys.SeededRandom(seed(n))},
			}
			if n < players {
				c.Gather = game.NewBot(o.seed, n, players).Gather()
			}
			return c
		},
		Clients: all,
		Links: func(n int) (up, down netsys.Link) {
			link := netsys.Link{Latency: o.rtt.forClient(n, all) / 2, Jitter: o.jitter, Loss: o.loss}
			return link, link
		},
		LinkSeed:  seed,
		FrameRate: -1,
		CountOnly: true,
		Seed:      o.seed,
	})
	if err != nil {
		return nil, err
	}
	m.Lose(func(p systemstest.Packet) bool {
		if p.Up && m.down.counting {
			m.bytesUp += uint64(message(p.Data))
		}
		return false
	})
	m.OnClientTick(func(k *systemstest.Client) {
		if m.comparing {
			m.compare(k)
		}
	})
	return m, nil
}

// epoch is the start of matches in virtual time.
var epoch = time.Unix(0, 0).UTC()

// protocol returns the arena's protocol for a number of players, with or without the hint.
func protocol(o options, players int) *ecs.Protocol {
	return game.Variant{NoHint: !o.hint, Players: players}.Protocol()
}

func (o options) coders() delta.Coders {
	if o.coder == "zstd" {
		return delta.ZstdOnly
	}
	return delta.AnyCoder
}

// watch adds the measuring systems to the server's schedule.
func (m *match) watch(s *ecs.Schedule) error {
	err := s.Wrap("Snapshot", func(run func(*ecs.World)) func(*ecs.World) {
		return func(w *ecs.World) {
			sends := m.Server.Stats().Sends
			began := time.Now()
			run(w)
			took := time.Since(began)
			if m.measuring && m.Server.Stats().Sends > sends {
				m.snapshots = append(m.snapshots, took)
			}
		}
	})
	if err != nil {
		return err
	}
	return s.InsertBefore("Snapshot", ecs.System{Name: "truth", Run: func(w *ecs.World) { m.truth.step(w, m.Server.Tick(), m.measuring) }})
}

// play lets time pass until and including the given moment.
func (m *match) play(until time.Time) error {
	m.Run(until.Sub(m.Now()) + 1)
	return m.Err()
}

// compare compares the newest state of a client with the server's.
func (m *match) compare(c *systemstest.Client) {
	tick := c.ServerTick()
	if tick == m.compared[c.N] {
		return
	}
	m.compared[c.N] = tick
	m.r.Compared++
	if err := systems.Difference(m.Server, c.Client); err != nil {
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
			m.r.MaxError = max(m.r.MaxError, m.truth.err(tick, t.NetIDs[i], p.X, p.Y))
		}
	}
}

// measure plays the requested match and reports.
func measure(o options, progress io.Writer) (*report, error) {
	m, err := newMatch(o, o.clients, 0)
	if err != nil {
		return nil, err
	}
	m.r.Exact = true
	at := epoch.Add(warmup * time.Second)
	if err := m.play(at); err != nil {
		return nil, err
	}
	before := m.Server.Stats()
	m.measuring, m.comparing, m.down.counting = true, true, true
	for s := range o.seconds {
		at = at.Add(time.Second)
		if err := m.play(at); err != nil {
			return nil, err
		}
		if s%5 == 4 {
			fmt.Fprintf(progress, "%d s of %d s\n", s+1, o.seconds)
		}
	}
	m.sum(before)
	fmt.Fprintln(progress, "measuring what one client more costs")
	m.r.ExtraClientVsEncode, err = extra(o, progress)
	return &m.r, err
}

// sum creates the report. before are the server's figures at the start of the measurement.
func (m *match) sum(before systems.ServerStats) {
	r, after := &m.r, m.Server.Stats()
	m.down.closeUpdates()
	r.Updates = uint64(len(m.down.updates))
	slices.Sort(m.snapshots)
	if r.Updates > 0 {
		r.BytesPerUpdate = float64(m.down.bytes) / float64(r.Updates)
		r.EncodeUsPerUpdate = m.snapshots[len(m.snapshots)/2].Seconds() * 1e6 / float64(m.o.clients)
	}
	r.BytesP95, r.DatagramsMax = m.down.percentile(0.95), m.down.datagrams
	r.BytesUpPerClientS = float64(m.bytesUp) / float64(m.o.clients*m.o.seconds)
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

// extra compares the cost of one more client with the cost of one encoding. The same world is played with no client, with
// one, and with many who share a baseline, in turn, all with the mean round trip.
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
			if err := m.play(epoch.Add(time.Duration(round+1) * time.Second)); err != nil {
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
