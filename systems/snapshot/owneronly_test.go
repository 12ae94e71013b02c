package snapshot_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Round is the phase of the match.
type Round struct {
	Number uint16 `net:"0..1000"`
}

// Owner-only components reach only their owner, also when an entity changes its owner, and although owner state is not sent.
// Singletons reach all clients.
func TestOwnerOnlyAndSingletons(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}}, fieldtest.SeedCount(3), passHands)
}

func passHands(t *testing.T, model policy.Model, seed uint64) {
	config := fieldtest.PresetConfig(model, seed, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.1))
	config.Populate = nil
	config.Protocol = fieldtest.ProtocolWith(fieldtest.OnJoin(fieldtest.JoinWith(fieldtest.Hand{})), func(p *ecs.Protocol) {
		ecs.Replicate[fieldtest.Hand](p, ecs.OwnerOnly)
		ecs.Singleton[Round](p, 0)
	}, fieldtest.Authority(func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Hand *fieldtest.Hand }](w) {
			draw := w.Rand(e)
			r.Hand.Cards = uint32(draw.Uint64()) | 1
		}
		for _, r := range ecs.Each[struct{ Round *Round }](w) {
			r.Round.Number = uint16(w.Tick() / 60)
		}
	}))
	crowd := systemstest.New(t, config)
	hands := 0
	crowd.OnFrame(func(k *systemstest.Client) {
		for _, w := range []*ecs.World{k.World(), k.View()} {
			for _, r := range ecs.All[struct {
				Owner components.Owner
				Hand  fieldtest.Hand
			}](w) {
				hands++
				if r.Owner.Client != k.ID() {
					t.Fatalf("%v knows the hand of client %d", k, r.Owner.Client)
				}
			}
		}
	})
	crowd.Connect()
	crowd.Run(3 * time.Second)
	if hands == 0 {
		t.Fatal("nobody knows their own hand")
	}
	given := false
	crowd.OnServerTick(func() {
		if given {
			return
		}
		given = true
		w := crowd.Server.World()
		for _, r := range ecs.Each[struct{ Owner *components.Owner }](w) {
			r.Owner.Client = r.Owner.Client%3 + 1
		}
	})
	crowd.Run(3 * time.Second)
	crowd.Settle()
	crowd.Converged()
	want := ecs.Single[Round](crowd.Server.World())
	for _, k := range crowd.Clients {
		if got := ecs.Single[Round](k.World()); want.Number-got.Number > 1 || got.Number == 0 {
			t.Errorf("%v is in round %d, the server in %d", k, got.Number, want.Number)
		}
		n := 0
		for range ecs.All[struct{ Hand fieldtest.Hand }](k.World()) {
			n++
		}
		if n != 1 {
			t.Errorf("%v knows %d hands after they were passed on, want 1", k, n)
		}
	}
}

// Owners keep their owner-only components while snapshots exceed their budget and owner state contains only some entities at a
// time.
func TestOwnerKeepsItsOwnUnderATightBudget(t *testing.T) {
	fieldtest.EachSeed(t, []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}}, fieldtest.SeedCount(4), keepHands)
}

func keepHands(t *testing.T, model policy.Model, seed uint64) {
	const units = 12
	config := fieldtest.PresetConfig(model, seed, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.1))
	config.Server.Snapshots.Budget = 200
	config.Populate = fieldtest.Drifters(60)
	config.Protocol = fieldtest.ProtocolWith(fieldtest.OnJoin(func(w *ecs.World, client uint32) {
		for range units {
			fieldtest.JoinWith(fieldtest.Hand{Cards: client})(w, client)
		}
	}), func(p *ecs.Protocol) {
		ecs.Replicate[fieldtest.Hand](p, ecs.OwnerOnly)
	}, fieldtest.Authority(func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Hand *fieldtest.Hand }](w) {
			draw := w.Rand(e)
			r.Hand.Cards = r.Hand.Cards&0xff | uint32(draw.Uint64())<<8
		}
	}))
	crowd := systemstest.New(t, config)
	held, stable := map[*systemstest.Client]map[components.NetID]int{}, true
	crowd.OnClientTick(func(k *systemstest.Client) {
		w := k.World()
		if held[k] == nil {
			held[k] = map[components.NetID]int{}
		}
		for e, r := range ecs.All[struct {
			Owner components.Owner
			Hand  fieldtest.Hand `ecs:"optional"`
		}](w) {
			id := w.NetID(e)
			switch has := ecs.Has[fieldtest.Hand](w, e); {
			case r.Owner.Client != k.ID() && has:
				t.Fatalf("%v knows the hand of client %d", k, r.Owner.Client)
			case has && r.Hand.Cards&0xff != k.ID():
				t.Fatalf("%v has the hand %#x", k, r.Hand.Cards)
			case has:
				held[k][id]++
			case held[k][id] > 0 && stable:
				t.Fatalf("%v lost the hand of its entity %d, which it had for %d ticks", k, id, held[k][id])
			}
		}
	})
	crowd.Connect()
	crowd.Run(10 * time.Second)
	for _, k := range crowd.Clients {
		if n := len(held[k]); n != units {
			t.Errorf("%v has known %d hands of its %d", k, n, units)
		}
	}
	if crowd.Server.Stats().OverBudget == 0 {
		t.Error("all of it fits: nothing is proven")
	}
	w := crowd.Server.World()
	var all []ecs.Entity
	for e := range ecs.All[struct{ Owner components.Owner }](w) {
		all = append(all, e)
	}
	stable = false
	crowd.OnServerTick(func() { // hands come and go, and change hands
		if crowd.Elapsed() > 17*time.Second {
			return
		}
		for _, e := range all {
			owner := ecs.Get[components.Owner](w, e)
			switch at := w.Tick() + uint32(w.NetID(e)); {
			case at%211 == 0:
				owner.Client = owner.Client%3 + 1
			case at%97 == 0 && ecs.Has[fieldtest.Hand](w, e):
				ecs.Remove[fieldtest.Hand](w, e)
			case at%97 == 48 && !ecs.Has[fieldtest.Hand](w, e):
				ecs.Add(w, e, fieldtest.Hand{Cards: owner.Client})
			}
		}
		for _, r := range ecs.Each[struct {
			Owner *components.Owner
			Hand  *fieldtest.Hand
		}](w) {
			r.Hand.Cards = r.Hand.Cards&^0xff | r.Owner.Client
		}
	})
	crowd.Run(7 * time.Second)
	fieldtest.MustConverge(crowd)
	for e, r := range ecs.All[struct{ Owner components.Owner }](w) {
		for _, k := range crowd.Clients {
			mine, _ := k.World().ByNetID(w.NetID(e))
			if has, want := ecs.Has[fieldtest.Hand](k.World(), mine), ecs.Has[fieldtest.Hand](w, e) && r.Owner.Client == k.ID(); has != want {
				t.Errorf("%v has the hand of entity %d of client %d: %v, want %v", k, w.NetID(e), r.Owner.Client, has, want)
			}
		}
	}
}
