package relay_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

// A client that simulated one tick wrongly soon has the server's state again, under both models, and other clients are not
// affected.
func TestNetcodeE8_ADivergedClientIsGivenAState(t *testing.T) {
	for _, wait := range []bool{false, true} {
		for _, trip := range []int{3, 15} {
			t.Run(fmt.Sprint(wait, trip), func(t *testing.T) {
				found := 0
				c := relay.Config{Timeline: timeline.Config{Wait: wait}, Diverged: func(policy.Divergence) { found++ }}
				m := newMatch(t, c, relay.ClientConfig{}, human)
				other := m.join(1, 2, 2, 0.05, 0)
				odd := m.join(2, trip, 2, 0.05, 0)
				m.until(500)
				q := &testgame.Quirk{From: odd.Timeline().Next() + 10}
				q.To = q.From + 1
				ecs.SetResource(odd.Timeline().World(), q)
				m.except = odd.player
				again, tick, seen := other.Timeline().Stats().Resimulated, other.Timeline().Next(), m.checked[1]
				m.run(150)
				testgame.Equal(t, "states of the one that diverged", odd.Stats().States, 2)
				testgame.Equal(t, "states for it", m.server.Stats().Mended, 1)
				testgame.Equal(t, "named", found > 0, true)
				// From here on its final ticks are compared with everybody's.
				m.except = 0
				before := m.checked[2]
				m.run(150)
				if n := m.checked[2] - before; n < 140*60 {
					t.Errorf("%d times a final tick of it was compared in 150 ticks", n)
				}
				testgame.Equal(t, "it plays", odd.Playing(), true)
				testgame.Equal(t, "states of another", other.Stats().States, 1)
				if n := other.Timeline().Next() - tick; n < 298 {
					t.Errorf("another client made %d ticks of 300", n)
				}
				if n := m.checked[1] - seen; n < 290*60 {
					t.Errorf("%d times a final tick of another was compared in 300 ticks", n)
				}
				if n := other.Timeline().Stats().Resimulated - again; wait && n > 0 {
					t.Errorf("another simulated %d ticks again", n)
				}
			})
		}
	}
}

// A client that diverges in every tick is counted, and receives states at increasing intervals.
func TestNetcodeE8_StatesForWhoDivergesAlwaysAreBounded(t *testing.T) {
	found := 0
	m := newMatch(t, relay.Config{Diverged: func(policy.Divergence) { found++ }}, relay.ClientConfig{}, human)
	m.join(1, 2, 2, 0.05, 0)
	odd := m.join(2, 3, 2, 0.05, 0)
	m.except = odd.player
	m.until(100)
	ecs.SetResource(odd.Timeline().World(), &testgame.Quirk{From: 1})
	mismatch := uint64(0)
	for m.now < 100+60*40 { // states after 0, 2, 6, 14, 30 seconds
		m.step()
		if m.now == 60*32 {
			mismatch = m.server.Stats().Mismatch
		}
	}
	if n := m.server.Stats().Mended; n < 4 || n > 6 {
		t.Errorf("%d states in 40 seconds", n)
	}
	if n := m.server.Stats().Mismatch - mismatch; n < 20 {
		t.Errorf("%d differences were counted in ten seconds", n)
	}
	if found < 15 {
		t.Errorf("it was named %d times", found)
	}
	if n := m.checked[1]; n < 2300*60 {
		t.Errorf("%d times a final tick of the other was compared", n)
	}
}

// A client that keeps reporting that it has no state receives one state per second.
func TestStatesThatAreAskedForAreBounded(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	m.blind = true
	e := m.join(1, 1, 0, 0, 0)
	m.until(100)
	e.frozen = true
	before := m.server.Stats().States
	state := byte(0)
	for range 600 {
		m.step()
		e.down.queue = nil
		if b, err := m.server.Outgoing(1, nil); err == nil && b != nil {
			t.Fatal("a state that the match has not sent")
		}
		e.down.delivered(m.now, func(b []byte) { state = b[1] })
		for _, s := range []byte{state, 0} { // it continues from there, and has lost it
			testgame.Must(t, m.server.Receive(1, e.up.seq, []byte{s, 0}))
			e.up.seq++
		}
	}
	if n := m.server.Stats().States - before; n < 8 || n > 11 {
		t.Errorf("%d states in ten seconds", n)
	}
}

// Kinds of reliable messages of a client.
const (
	digests  = 2
	unstable = 3
)

// report returns a report of a client about n ticks up to newest, with m numbers of a digest for each.
func report(newest uint32, n, m int) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{digests}, newest)
	b = append(b, byte(n), byte(m))
	return append(b, make([]byte, 8*n*(1+m))...)
}

// A divergence report covers a limited number of past ticks and contains all announced hashes and digests.
func TestReportsAreWhole(t *testing.T) {
	whole := report(20, 4, 3)
	for what, c := range map[string]struct {
		msg []byte
		ok  bool
	}{
		"four ticks":                {whole, true},
		"no digests":                {report(20, 4, 0), true},
		"from the first tick":       {report(5, 6, 1), true},
		"from before it":            {report(5, 7, 1), false},
		"no ticks":                  {report(20, 0, 0), false},
		"no ticks, no numbers":      {report(20, 0, 9), false},
		"64 ticks":                  {report(100, 64, 1), true},
		"65 ticks":                  {report(100, 65, 1), false},
		"a byte less":               {whole[:len(whole)-1], false},
		"a byte more":               {append(whole[:len(whole):len(whole)], 0), false},
		"a head":                    {whole[:6], false},
		"half a head":               {whole[:4], false},
		"another kind":              {[]byte{9, 9, 9}, false},
		"nothing":                   {nil, false},
		"a system, asked by nobody": {append([]byte{unstable}, strings.Repeat("x", 200)...), true},
		"too long a system":         {append([]byte{unstable}, strings.Repeat("x", 201)...), false},
		"a system without a name":   {[]byte{unstable}, false},
	} {
		m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
		m.join(1, 1, 0, 0, 0)
		m.until(120)
		before := m.server.Stats().Malformed
		err := m.server.Deliver(1, c.msg)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
		if n := m.server.Stats().Malformed - before; (n == 0) != c.ok {
			t.Errorf("%s: %d malformed", what, n)
		}
	}
}

// A Divergence contains exactly what is known.
func TestDivergenceSaysWhatIsKnown(t *testing.T) {
	for want, d := range map[string]policy.Divergence{
		"player 3: tick 7: the world differs":                                          {Player: 3, Tick: 7},
		"player 3: tick 7: health.Points differs":                                      {Player: 3, Tick: 7, Where: "health.Points"},
		"player 3: tick 7: health.Points differs; not deterministic: system \"drift\"": {Player: 3, Tick: 7, Where: "health.Points", System: "system \"drift\""},
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
