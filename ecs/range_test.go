package ecs_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The range of these tests: guns fire bullets, which fly and end.

// trigger is a gun's local state; last is a handle that the game keeps.
type trigger struct {
	Fire, Volley int32 // shots in the next tick: by value lists, by row
	Last         ecs.Entity
}

type fuse struct {
	Left int32 `net:"raw"`
}

type gunRow struct {
	Trigger *trigger
	Owner   *components.Owner
	At      *place
}

type bulletRow struct {
	At   *place
	Fuse *fuse
}

type bulletValues struct {
	Owner components.Owner
	Place place
	Fuse  fuse
	_     ecs.With[speed]
}

// guns adds the components and rules of the range to a protocol.
func guns(p *ecs.Protocol) {
	ecs.Replicate[fuse](p, ecs.Predicted)
	ecs.Local[trigger](p, ecs.Predicted)
	p.Simulate("fly", func(w *ecs.World) {
		for e, b := range ecs.Each[bulletRow](w) {
			b.At.X += 10
			if b.Fuse.Left--; b.Fuse.Left == 0 {
				w.Despawn(e)
			}
		}
	})
	p.Simulate("fire", func(w *ecs.World) {
		for _, g := range ecs.EachInOrder[gunRow](w) {
			for i := range g.Trigger.Fire {
				g.Trigger.Last = w.Spawn(*g.Owner, place{g.At.X, i}, fuse{5}, speed{})
			}
			for i := range g.Trigger.Volley {
				g.Trigger.Last = ecs.Spawn(w, bulletValues{Owner: *g.Owner, Place: place{g.At.X, 100 + i}, Fuse: fuse{5}})
			}
			g.Trigger.Fire, g.Trigger.Volley = 0, 0
			g.At.X++
		}
	})
}

const shooter = 1

// firing is a world of the range with a gun of NetID 1, and a history of it.
type firing struct {
	t       *testing.T
	w       *ecs.World
	gun     ecs.Entity
	history *ecs.History
	newest  uint32
	orders  map[uint32]trigger // what the gun is told before an input
}

func newFiring(t *testing.T, client bool) *firing {
	f := &firing{t: t, w: newServer(guns), orders: map[uint32]trigger{}}
	if client {
		f.w = newClient(guns)
	}
	f.gun = f.addGun(1, shooter)
	f.history = ecs.NewHistory(f.w, 256)
	f.history.Capture(0)
	return f
}

// fired returns the range after n inputs, and the last spawn of the gun. order is the order for input number before.
func fired(t *testing.T, n int, before uint32, order trigger) (*firing, ecs.Entity) {
	t.Helper()
	f := newFiring(t, true)
	f.orders[before] = order
	f.play(n)
	return f, f.last()
}

func (f *firing) addGun(id components.NetID, owner uint32) ecs.Entity {
	p := f.w.Protocol()
	e := f.w.Netcode().Replica(id, maskOf(p.Replicated()[0], ecs.ComponentOf[place](p), ecs.ComponentOf[trigger](p)), true)
	ecs.Get[components.Owner](f.w, e).Client = owner
	return e
}

func (f *firing) simulate(input uint32) {
	g := ecs.Get[trigger](f.w, f.gun)
	g.Fire, g.Volley = f.orders[input].Fire, f.orders[input].Volley
	f.w.Netcode().SetInputSequence(shooter, input)
	ticks(f.w, input, 1)
	f.history.Capture(input)
}

// play simulates n inputs more.
func (f *firing) play(n int) {
	for range n {
		f.newest++
		f.simulate(f.newest)
	}
}

// replay simulates all inputs after one again.
func (f *firing) replay(input uint32) {
	f.w.Netcode().BeginReplay(input)
	f.history.Restore(input)
	f.history.Capture(input)
	for i := input + 1; i <= f.newest; i++ {
		f.simulate(i)
	}
	f.w.Netcode().EndReplay()
}

// last returns the handle that the gun keeps.
func (f *firing) last() ecs.Entity { return ecs.Get[trigger](f.w, f.gun).Last }

// bullets returns the values of all bullets in scope.
func (f *firing) bullets() map[place]int {
	all := map[place]int{}
	for _, b := range ecs.All[struct {
		At   place
		Fuse fuse
	}](f.w) {
		all[b.At]++
	}
	return all
}

func (f *firing) wantBullets(want ...place) {
	f.t.Helper()
	got := f.bullets()
	wanted := map[place]int{}
	for _, b := range want {
		wanted[b]++
	}
	equal(f.t, "bullets", fmt.Sprint(got), fmt.Sprint(wanted))
}

// pending returns how many predicted spawns and despawns wait.
func (f *firing) pending() string { return fmt.Sprint(f.w.PendingPredictions()) }

// confirm names e, which must work.
func (f *firing) confirm(e ecs.Entity, id components.NetID) {
	f.t.Helper()
	if got, ok := f.w.Netcode().Confirm(keyOf(f.t, f.w, e), id, true); !ok || got != e {
		f.t.Fatalf("%v confirmed as %v, %v", e, got, ok)
	}
}

func keyOf(t *testing.T, w *ecs.World, e ecs.Entity) ecs.SpawnKey {
	t.Helper()
	k := ecs.Get[ecs.SpawnKey](w, e)
	if k == nil {
		t.Fatalf("%v has no key", e)
	}
	return *k
}
