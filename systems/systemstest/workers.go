package systemstest

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// WorkersChangeNothing plays a match on a server with one worker, then with two, then with four, and fails the
// test unless all are the same: the world's hash after every tick of the server, every datagram, every client's view
// after every frame, and all worlds in the end. It says at which tick the first difference was and in what, and how
// to repeat the test.
//
// config is called for each match, and builds all of it anew: a script or an interest that goes on from the match
// before makes another match. Config.Server.Workers is set here. play plays the match, with [Crowd.Connect] and
// [Crowd.Run]; what it demands besides is demanded of every match. Rows of systems made with [ecs.Rows] are shared
// among workers where there are more than 256, and what is sent where there are several clients: a match with less
// proves nothing.
//
// It ends the test when config or play is nil, or play runs no tick.
func WorkersChangeNothing(t testing.TB, config func() Config, play func(c *Crowd)) {
	t.Helper()
	if config == nil || play == nil {
		t.Fatal("systemstest: WorkersChangeNothing needs a function that builds the configuration, and one that plays")
	}
	m := rerun{t: t, config: config, play: play, seed: maphash.MakeSeed()}
	one := m.record(1)
	if len(one) < 2 {
		t.Fatal("systemstest: WorkersChangeNothing: play lets no time pass: call Connect and Run of the crowd")
	}
	for _, workers := range []int{2, 4} {
		if i, differs := one.differs(m.record(workers)); differs {
			m.report(workers, one, i)
			return // what differs later follows from it
		}
	}
}

// rerun plays a match again and again.
type rerun struct {
	t      testing.TB
	config func() Config
	play   func(c *Crowd)
	seed   maphash.Seed // of hashes of datagrams
	rng    uint64       // Config.Seed
}

// witnessed is something that was seen of a match.
type witnessed struct {
	what   sight
	tick   uint32 // the last that the server completed
	client int    // its number; of a world: 0
	hash   uint64
}

// sight is what there is to see.
type sight uint8

const (
	ofWorld sight = iota
	ofUp
	ofDown
	ofView
	ofEnd
)

// String is the sight in words.
func (s witnessed) String() string {
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

// diary is all that was seen, in order.
type diary []witnessed

// differs finds the first place at which two diaries do not agree, which may be the end of one.
func (d diary) differs(other diary) (i int, differs bool) {
	for i < len(d) && i < len(other) && d[i] == other[i] {
		i++
	}
	return i, i < len(d) || i < len(other)
}

// crowd makes the match's crowd.
func (m *rerun) crowd(workers int) *Crowd {
	config := m.config()
	config.Server.Workers = workers
	m.rng = config.Seed
	return New(m.t, config)
}

// record plays the match to its end.
func (m *rerun) record(workers int) (d diary) {
	m.t.Helper()
	c := m.crowd(workers)
	defer func() { _ = c.Server.Close(c.Now()) }() // a wire in memory has no errors
	saw := func(what sight, client int, hash uint64) {
		d = append(d, witnessed{what, max(c.Server.Tick(), 1) - 1, client, hash})
	}
	c.OnServerTick(func() { saw(ofWorld, 0, c.Server.World().Hash()) })
	c.OnFrame(func(k *Client) {
		if v := k.View(); v != nil {
			saw(ofView, k.N, v.Hash())
		}
	})
	c.heard = func(p Packet) {
		what := ofDown
		if p.Up {
			what = ofUp
		}
		saw(what, p.Client.N, maphash.Bytes(m.seed, p.Data)^uint64(p.At.UnixNano()))
	}
	m.play(c)
	saw(ofEnd, 0, c.Hash())
	c.heard = nil
	return d
}

// report fails the test for the i-th of what was seen with one worker.
func (m *rerun) report(workers int, one diary, i int) {
	m.t.Helper()
	var b strings.Builder
	first := witnessed{what: ofEnd, tick: one[len(one)-1].tick}
	if i < len(one) {
		first = one[i]
	}
	fmt.Fprintf(&b, "systemstest: with %d workers the match is another one than with one: at tick %d of the server the first that differs is %v", workers, first.tick, first)
	if again, differs := one.differs(m.record(1)); differs {
		fmt.Fprintf(&b, "\n\tbut two matches with one worker differ too, at number %d of %d that was seen: build all that a match uses in the function that gives its configuration, "+
			"and let what systems do follow from the world alone", again, len(one))
	} else if d, differs := m.differs(workers, first.tick); differs {
		fmt.Fprintf(&b, "\n\tthere, the second value with %d workers: %v", workers, d)
	}
	fmt.Fprintf(&b, "\n\tSeed %d", m.rng)
	if name := m.t.Name(); name != "" && !strings.Contains(name, "/seed=") { // there Seeds tells it
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

// reached ends a match in the midst of what plays it.
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
