package systemstest

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// WorkersChangeNothing plays a match on a server with one worker, with two and with four, and fails the test unless
// all are equal: the world's hash after every tick of the server, every datagram, every client's view after every
// frame, and all worlds at the end. The failure names the first difference and its tick, and how to repeat the
// test.
//
// config is called for each match and must build everything new: a script or an interest that continues from the
// previous match would change the match. WorkersChangeNothing sets Config.Server.Workers. play plays the match with
// [Crowd.Connect] and [Crowd.Run]. Its assertions apply to every match. Workers share the rows of systems made with
// [ecs.Rows] if there are more than 256 rows, and the sending if there are several clients: a smaller match proves
// nothing.
//
// WorkersChangeNothing ends the test if config or play is nil, or if play runs no tick.
func WorkersChangeNothing(t testing.TB, config func() Config, play func(c *Crowd)) {
	t.Helper()
	if config == nil || play == nil {
		t.Fatal("systemstest: WorkersChangeNothing needs a function that builds the configuration, and one that plays")
	}
	m := rerun{t: t, config: config, play: play, seed: maphash.MakeSeed()}
	one := m.recordMatch(1)
	if len(one) < 2 {
		t.Fatal("systemstest: WorkersChangeNothing: play lets no time pass: call Connect and Run of the crowd")
	}
	for _, workers := range []int{2, 4} {
		if i, differs := one.differs(m.recordMatch(workers)); differs {
			m.report(workers, one, i)
			return // later differences follow from this one
		}
	}
}

// rerun plays a match several times.
type rerun struct {
	t      testing.TB
	config func() Config
	play   func(c *Crowd)
	seed   maphash.Seed // for hashes of datagrams
	rng    uint64       // Config.Seed
}

// observation is one observed value of a match.
type observation struct {
	what   observed
	tick   uint32 // the last tick that the server completed
	client int    // number of the client; for a world: 0
	hash   uint64
}

// observed is the kind of an observation.
type observed uint8

const (
	ofWorld observed = iota
	ofUp
	ofDown
	ofView
	ofEnd
)

// String describes the observed value.
func (s observation) String() string {
	switch s.what {
	case ofWorld:
		return "the server's world"
	case ofUp:
		return fmt.Sprintf("a datagram that client %d sends", s.client)
	case ofDown:
		return fmt.Sprintf("a datagram that client %d gets", s.client)
	case ofView:
		return fmt.Sprintf("the view of client %d", s.client)
	}
	return "the worlds in the end"
}

// record holds all observations of a match, in order.
type record []observation

// differs returns the index of the first difference between two records, which may be the end of one.
func (d record) differs(other record) (i int, differs bool) {
	for i < len(d) && i < len(other) && d[i] == other[i] {
		i++
	}
	return i, i < len(d) || i < len(other)
}

// crowd returns the crowd of a match.
func (m *rerun) crowd(workers int) *Crowd {
	config := m.config()
	config.Server.Workers = workers
	m.rng = config.Seed
	return New(m.t, config)
}

// recordMatch plays the match to its end and records it.
func (m *rerun) recordMatch(workers int) (d record) {
	m.t.Helper()
	c := m.crowd(workers)
	defer func() { _ = c.Server.Close(c.Now()) }() // a transport in memory has no errors
	observe := func(what observed, client int, hash uint64) {
		d = append(d, observation{what, max(c.Server.Tick(), 1) - 1, client, hash})
	}
	c.OnServerTick(func() { observe(ofWorld, 0, c.Server.World().Hash()) })
	c.OnFrame(func(k *Client) {
		if v := k.View(); v != nil {
			observe(ofView, k.N, v.Hash())
		}
	})
	c.onDatagram = func(p Packet) {
		what := ofDown
		if p.Up {
			what = ofUp
		}
		observe(what, p.Client.N, maphash.Bytes(m.seed, p.Data)^uint64(p.At.UnixNano()))
	}
	m.play(c)
	observe(ofEnd, 0, c.Hash())
	c.onDatagram = nil
	return d
}

// report fails the test for the i-th observation.
func (m *rerun) report(workers int, one record, i int) {
	m.t.Helper()
	var b strings.Builder
	first := observation{what: ofEnd, tick: one[len(one)-1].tick}
	if i < len(one) {
		first = one[i]
	}
	fmt.Fprintf(&b, "systemstest: with %d workers the match is another one than with one: at tick %d of the server the first that differs is %v", workers, first.tick, first)
	if again, differs := one.differs(m.recordMatch(1)); differs {
		fmt.Fprintf(&b, "\n\tbut two matches with one worker differ too, at number %d of %d that was seen: build all that a match uses in the function that gives its configuration, "+
			"and let what systems do follow from the world alone", again, len(one))
	} else if d, differs := m.differs(workers, first.tick); differs {
		fmt.Fprintf(&b, "\n\tthere, the second value with %d workers: %v", workers, d)
	}
	fmt.Fprintf(&b, "\n\tSeed %d", m.rng)
	if name := m.t.Name(); name != "" && !strings.Contains(name, "/seed=") { // Seeds prints it then
		fmt.Fprintf(&b, "; repeat it alone: %s", command(callerPackage(), name, 1, 1, testing.Short()))
	}
	m.t.Errorf("%s", &b)
}

// differs compares the server's worlds after a tick, with one worker and with several.
func (m *rerun) differs(workers int, tick uint32) (ecs.Difference, bool) {
	one, other := m.upTo(1, tick), m.upTo(workers, tick)
	defer func() { _, _ = one.Server.Close(one.Now()), other.Server.Close(other.Now()) }()
	return ecs.Differs(one.Server.World(), other.Server.World())
}

// reached is a panic value that ends a match early.
type reached struct{}

// upTo plays the match up to a tick of the server.
func (m *rerun) upTo(workers int, tick uint32) *Crowd {
	c := m.crowd(workers)
	c.OnServerTick(func() {
		if c.Server.Tick() > tick {
			panic(reached{})
		}
	})
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(reached{}) {
				panic(r)
			}
		}()
		m.play(c)
	}()
	return c
}
