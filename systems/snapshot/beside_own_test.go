package snapshot_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// OwnMemory is a component of the own entity, and OtherMemory one of other entities. All their words change in each tick.
type (
	OwnMemory struct {
		Words [20]uint32 `net:"raw"`
	}
	OtherMemory struct {
		Words [24]uint32 `net:"raw"`
	}
)

// forget fills words by chance.
func forget(w *ecs.World, e ecs.Entity, words []uint32) {
	draw := w.Rand(e)
	for i := range words {
		words[i] = uint32(draw.IntN(1 << 31))
	}
}

// If an own entity and another one do not fit into one snapshot together, they take turns.
func TestOthersHaveTheirTurnBesideOwnState(t *testing.T) {
	config := fieldtest.Config(1, 1, fieldtest.Lag(0))
	config.Protocol = fieldtest.ProtocolWith(fieldtest.Predicted[OwnMemory], fieldtest.OnJoin(fieldtest.JoinWith(OwnMemory{})), func(p *ecs.Protocol) { ecs.Replicate[OtherMemory](p, 0) },
		fieldtest.Simulate("own", func(w *ecs.World) {
			for e, r := range ecs.Each[struct{ M *OwnMemory }](w) {
				forget(w, e, r.M.Words[:])
			}
		}), fieldtest.Authority(func(w *ecs.World) {
			for e, r := range ecs.Each[struct{ M *OtherMemory }](w) {
				forget(w, e, r.M.Words[:])
			}
		}))
	config.Server.Snapshots.Budget, config.Populate = 200, nil
	c := systemstest.New(t, config)
	w := c.Server.World()
	id := w.NetID(w.Spawn(OtherMemory{}))
	k := c.Clients[0]
	if !c.RunUntil(time.Minute, func() bool { _, ok := k.Loaded(); return ok }) {
		t.Fatal("the client has never joined")
	}
	c.RunTicks(60)
	before := k.Stats()
	told, last := 0, uint32(0)
	c.OnClientTick(func(k *systemstest.Client) {
		if tick, ok := k.StateTick(id); ok && tick != last {
			last = tick
			told++
		}
	})
	c.RunTicks(600)
	if own := k.Stats().Confirmed - before.Confirmed; told < 40 || own < 80 {
		t.Errorf("in 200 snapshots the other entity was told of %d times, the own one %d times", told, own)
	}
}
