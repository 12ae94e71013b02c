package main

import (
	"runtime"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/heapuse"
)

// A client in the arena takes at most 56 KiB of its server's memory, including its entity's share. The world has 1,200 moving
// entities, all in sight, the client gets 20 snapshots a second, and its link has losses and latency. docs/guide/operating.md
// states 30 KiB per client and 10 KiB per entity.
func TestArena_MemoryOfAClient(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the heap")
	}
	const few, many, entities, most = 6, 14, 1200, 56 << 10
	profile := heapuse.Begin(t)
	plays := func(clients int) heapuse.Use {
		o := options{clients: clients, npcs: entities - clients, rtt: spread{20 * time.Millisecond, 200 * time.Millisecond}, loss: 0.02, seed: 1, coder: "any", hint: true}
		m, err := newMatch(o, clients, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.play(time.Unix(5, 0)); err != nil {
			t.Fatal(err)
		}
		if n := m.Server.Stats().Updates; n < uint64(clients)*20*3 {
			t.Fatalf("%d updates of %d clients", n, clients)
		}
		defer runtime.KeepAlive(m)
		return profile.Under([]string{"github.com/tactusgo/tactus/systems.(*Server)."}, []string{
			"github.com/tactusgo/tactus/netsys.(*Node).Send", "github.com/tactusgo/tactus/netsys.(*Conditioner).Send",
			"github.com/tactusgo/tactus/internal/bench/arena.(*truth).",
		})
	}
	small, large := plays(few), plays(many)
	each := (large.Bytes - small.Bytes) / (many - few)
	entity := (small.Bytes - few*each) / entities
	t.Logf("%d bytes a client, %d an entity:\n%s", each, entity, large.Less(small).Table(40, many-few))
	if each < 8<<10 || each+entity > most {
		t.Errorf("a client takes %d bytes and its entity %d, want at most %d together", each, entity, most)
	}
}
