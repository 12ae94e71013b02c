package snapshot

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// Clients that see the same entities share encoded blocks, whether they came to see them at once or one after another.
func TestEqualSetsAreEncodedOnce(t *testing.T) {
	const clients = 24
	g := newPlaza(150, Config{Budget: 1 << 16}, interest.HiddenUnless(interest.Has[tint]()))
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
	if updates := after.Updates - before.Updates; blocks < sends || blocks > 3*sends || updates != clients*sends {
		t.Errorf("%d blocks are encoded in %d sends to %d clients", blocks, sends, clients)
	}
}

// A client that is sent the block of another client divides it into the same datagrams, also if entities went out of sight.
func TestEqualSetsAreDividedEqually(t *testing.T) {
	g := newPlaza(900, Config{Budget: 1 << 16}, interest.HiddenUnless(interest.Has[tint]()))
	for range 3 {
		g.join(3)
	}
	g.run(60, nil)
	for _, e := range g.all[:300] {
		g.w.Despawn(e)
	}
	g.all = g.all[300:]
	for range 10 {
		for n, e := range g.all {
			*ecs.Get[place](g.w, e) = place{X: float32(n * n % 397), Y: float32((int(g.tick) + n) * n % 401)}
		}
		var first []Packet
		g.run(3, func(_ *peer, packets []Packet) {
			if first == nil {
				first = slices.Clone(packets)
			}
			if len(packets) < 2 || len(packets) != len(first) {
				t.Fatalf("tick %d: %d datagrams, the first client is sent %d", g.tick, len(packets), len(first))
			}
			for i := 1; i < len(packets); i++ { // the first has the client's own header
				if !bytes.Equal(packets[i].Bytes, first[i].Bytes) {
					t.Errorf("tick %d: datagram %d differs from the first client's", g.tick, i)
				}
			}
		})
	}
}
