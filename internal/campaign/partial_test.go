package campaign

import (
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
)

// Partial ticks change only the view: worlds, inputs, datagrams, corrections, outcomes and events are the same without them,
// whatever the game does in frames. One match per model runs by default, and all with TACTUS_LONG.
func TestPartialTicks_ChangeNothing(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	seeds := []uint64{102, 133, 224, 15, 160, 113}
	if long() {
		seeds = fingerprinted
	}
	for _, seed := range seeds {
		var prints [2]print
		for n, partial := range []bool{false, true} {
			d := newDraw(t, seed)
			d.frames, d.partial = 144, partial
			m := newMatch(t, d)
			prints[n] = m.print(false)
			m.must(m.err)
			for _, k := range m.players {
				m.must(k.ledger.err)
				asked[d.preset.String()] += k.frames
			}
		}
		if prints[0] != prints[1] {
			t.Errorf("%v: without and with partial ticks it goes otherwise", newDraw(t, seed))
		}
	}
	for _, p := range policy.Presets() {
		known := policy.Is[policy.ServerRewind](p) || policy.Is[policy.Lockstep](p) // the coming tick's input, before it
		if known && asked[p.String()] > 0 || !known && asked[p.String()] < 1000 {
			t.Errorf("%v: asked in %d frames", p, asked[p.String()])
		}
	}
}
