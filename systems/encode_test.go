package systems

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// A hundred clients with the same acknowledgements need one encode a send, and with
// round trips from 20 to 200 ms at most eight.
func TestOneEncodeServesAll(t *testing.T) {
	clients := 100
	if raced {
		clients = 10
	}
	for _, spread := range []time.Duration{0, 90 * time.Millisecond} {
		g := newGame(t, plaza, ServerConfig{})
		w := g.server.World()
		var all []ecs.Entity
		for n := range 200 {
			all = append(all, w.Spawn(place{X: float32(n)}, tint{uint8(n)}))
		}
		for n := range clients {
			g.join(ClientConfig{}, netsys.Link{Latency: 10*time.Millisecond + spread*time.Duration(n)/time.Duration(clients)})
		}
		g.connect()
		g.run(120)
		before := g.server.Stats()
		for n := range 300 {
			ecs.Get[place](w, all[n%200]).Y++
			g.step()
		}
		after := g.server.Stats()
		sends := after.Sends - before.Sends
		blocks, entities := after.Encodes.Blocks-before.Encodes.Blocks, after.Encodes.Entities-before.Encodes.Entities
		most := uint64(1)
		if spread > 0 {
			most = 8
		}
		if sends != 100 || blocks > most*sends || entities != blocks*200 {
			t.Errorf("round trips over %v: %d blocks of %d entities were encoded in %d sends", 2*spread, blocks, entities, sends)
		}
		if reused := after.Encodes.Reused - before.Encodes.Reused; reused+blocks != uint64(clients)*sends {
			t.Errorf("%d blocks were reused", reused)
		}
		if own := after.Encodes.Own - before.Encodes.Own; own != 0 {
			t.Errorf("%d blocks of own state for spectators", own)
		}
		g.settle()
		if err := g.converged(); err != nil {
			t.Error(err)
		}
	}
}

// The usual snapshot is one datagram with a header of 5 bytes, three bytes in front of
// each of its two blocks, and five bytes more in every fourth.
func TestHeadersAreSmall(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	w := g.server.World()
	for n := range 200 {
		w.Spawn(place{X: float32(n)}, tint{uint8(n)})
	}
	g.join(ClientConfig{}, netsys.Link{Latency: 50 * time.Millisecond})
	g.connect()
	g.run(120)
	before := g.server.Stats().Snapshots
	g.run(3 * 400)
	st := g.server.Stats().Snapshots
	if n := st.Datagrams - before.Datagrams; n != 400 {
		t.Fatalf("%d datagrams", n)
	}
	if n := st.Headers - before.Headers; n > 400*5+100*5+20*5 {
		t.Errorf("%d bytes of headers in 400 snapshots", n)
	}
}

// One line sets a world to zstd alone.
func TestZstdOnly(t *testing.T) {
	g, _ := crowded(t, 100, ServerConfig{Join: spawnPawn, Coders: 1})
	g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.1})
	g.connect()
	g.run(300)
	if st := g.server.Stats().Snapshots; st.Range.Blocks != 0 || st.Zstd.Blocks+st.Raw.Blocks == 0 {
		t.Errorf("%+v", st)
	}
	g.mustConverge()
}
