package snapshot

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/interest"
)

// Clients that see the same entities share what is encoded for them, however they came to see them: all at once, or one after
// another while entities come and go.
func TestEqualSetsAreEncodedOnce(t *testing.T) {
	const clients = 24
	g := newPlaza(150, Config{Budget: 1 << 16}, &interest.Grid[place]{Cell: 100, Radius: 5000})
	for n := range clients {
		g.join(uint32(3 + 3*(n%2)))
		g.w.Despawn(g.all[n])
		g.all[n] = g.w.Spawn(place{X: float32(n)}, tint{})
		g.run(7, nil)
	}
	g.run(300, nil)
	before := g.s.Stats()
	for n := range 60 {
		if n%20 == 0 {
			g.w.Despawn(g.all[n])
			g.all[n] = g.w.Spawn(place{X: float32(n)}, tint{})
		}
		g.move(n)
		g.run(1, nil)
	}
	after := g.s.Stats()
	sends, blocks := after.Sends-before.Sends, after.Encodes.Blocks-before.Encodes.Blocks
	if updates := after.Updates - before.Updates; blocks > 3*sends || updates != clients*sends {
		t.Errorf("%d blocks are encoded in %d sends to %d clients", blocks, sends, clients)
	}
}
