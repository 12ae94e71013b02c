package relay_test

import (
	"testing"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Messages in both directions, late inputs, passes, checks and recorders between two segments allocate nothing once memory has
// grown.
func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations differ under the race detector")
	}
	for _, wait := range []bool{false, true} {
		m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{}, human)
		m.blind = true
		var recorders [3]*relay.Recorder
		recorded := new(counter)
		for p := range uint32(3) {
			recorders[p] = m.join(p+1, 1, 0, 0, 0).Record(1 << 18)
		}
		m.run(400)
		// From here without the links, which allocate: all arrives in the next tick, and the inputs of the one who
		// lags some ticks later.
		var ups, downs [3][8][]byte
		var seqs [3][8]uint16
		inputs := make([][]int32, 9)
		for i := range inputs {
			inputs[i] = testgame.Words(steer{DX: int8(i%3) - 1, DY: int8(i/3) - 1, Aim: float32(i), Fire: i == 4})
		}
		n := 0
		tick := func() {
			n++
			for i, e := range m.ends {
				late := (n - 1 - 2*i + 16) % 8
				if b := ups[i][late]; n > 8 && len(b) > 0 {
					testgame.Must(t, m.server.Receive(e.player, seqs[i][late], b))
				}
			}
			m.server.Step()
			for i, e := range m.ends {
				k := n % 8
				downs[i][k] = m.server.Append(downs[i][k][:0], e.player, e.down.seq, m.limit)
				testgame.Must(t, e.Receive(e.down.seq, downs[i][k]))
				e.down.seq++
				testgame.Must(t, recorders[i].Write(n%100 == 0 && n < 4000, recorded))
				e.Step(inputs[(n/3+i)%9])
				ups[i][k], seqs[i][k] = e.Append(ups[i][k][:0], m.limit), e.up.seq
				e.up.seq++
			}
		}
		for range 4000 { // histories make room for the most shots that there ever are
			tick()
		}
		before := m.server.Timeline().Next()
		again := m.server.Timeline().Stats().Resimulated
		if n := testing.AllocsPerRun(300, tick); n != 0 {
			t.Errorf("wait %v: a tick of four peers allocates %v times", wait, n)
		}
		if m.server.Timeline().Next() < before+250 || !wait && m.server.Timeline().Stats().Resimulated < again+250 {
			t.Errorf("wait %v: ticks %d, simulated again %d: nothing was measured", wait, m.server.Timeline().Next()-before, m.server.Timeline().Stats().Resimulated-again)
		}
		if recorded.segments < 3*40 || recorded.bytes == 0 {
			t.Errorf("wait %v: %d segments were recorded, %d bytes of inputs", wait, recorded.segments, recorded.bytes)
		}
	}
}

// counter counts what a recorder writes.
type counter struct{ segments, bytes int }

func (c *counter) Begin()                    { c.segments++ }
func (c *counter) Reliable([]byte, bool)     {}
func (c *counter) Datagram(b []byte, _ bool) { c.bytes += len(b) }
