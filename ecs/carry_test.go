package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// held is who carries an entity; hung is another such.
type (
	held struct {
		By components.NetID `net:"ref parent"`
		X  int32            `net:"raw"`
	}
	hung struct {
		On components.NetID `net:"ref parent"`
	}
)

func besideIt(h held, at place) place { return place{at.X + h.X, at.Y + 1} }

func under(_ hung, at place) place { return place{at.X, at.Y - 1} }

// carries places a held entity beside its holder, and a hung one below the entity from which it hangs.
func carries(p *ecs.Protocol) {
	ecs.Replicate[held](p, ecs.Predicted)
	ecs.Replicate[hung](p, ecs.Predicted)
	ecs.Carry(p, besideIt)
	ecs.Carry(p, func(_ held, at speed) speed { return at })
	ecs.Carry(p, under)
}

// After Simulate, carried entities are at their carriers, in any storage order and for rows of carriers.
func TestNetcodeE9_CarriersComeFirst(t *testing.T) {
	for seed := range uint64(8) {
		w := newServer(carries, rule("move", walkOn))
		w.ForceRollback(func(d ecs.Divergence) { t.Error(d) })
		const row = ecs.MaxCarried
		var list [row + 1]ecs.Entity
		for i := range list {
			list[i] = w.Spawn(place{}, speed{}, held{X: 2})
		}
		*ecs.Get[speed](w, list[0]) = speed{1, 0}
		for i := range row {
			ecs.Get[held](w, list[i+1]).By = w.NetID(list[i])
		}
		w.Shuffle(seed)
		for tick := range 3 {
			simulate(w)
			for i, e := range list {
				if got, want := *ecs.Get[place](w, e), (place{int32(tick + 1 + 2*i), int32(i)}); got != want {
					t.Fatalf("seed %d, tick %d: entity %d stands at %v, want %v", seed, tick, i, got, want)
				}
				if got := *ecs.Get[speed](w, e); got.X != 1 {
					t.Fatalf("seed %d, tick %d: entity %d has speed %v", seed, tick, i, got)
				}
			}
		}
	}
}

// An entity stays where it is without a carrier, if its carrier does not exist or has no place, if it is in a circle of carriers
// or carried by one, or if its row of carriers is too long.
func TestNetcodeE9_WhoIsNotCarriedStays(t *testing.T) {
	w := newServer(carries)
	at := place{7, 7}
	gone, bare := w.Spawn(place{}), w.Spawn(health{})
	a, b := w.Spawn(at, held{}), w.Spawn(at, held{})
	on := w.Spawn(at, held{By: w.NetID(a)})
	*ecs.Get[held](w, a), *ecs.Get[held](w, b) = held{By: w.NetID(b)}, held{By: w.NetID(a)}
	list := map[string]ecs.Entity{
		"nobody":             w.Spawn(at, held{}),
		"no such entity":     w.Spawn(at, held{By: 9999}),
		"destroyed":          w.Spawn(at, held{By: w.NetID(gone)}),
		"without a place":    w.Spawn(at, held{By: w.NetID(bare)}),
		"a circle":           a,
		"a circle, other":    b,
		"on a circle":        on,
		"names the last one": w.Spawn(at, hung{}),
	}
	last := w.Spawn(at)
	for range ecs.MaxCarried {
		last = w.Spawn(at, held{By: w.NetID(last)})
	}
	list["too long a row"] = w.Spawn(at, held{By: w.NetID(last)})
	self := w.Spawn(at, held{})
	ecs.Get[held](w, self).By = w.NetID(self)
	list["itself"] = self
	w.Despawn(gone)
	w.ForceRollback(func(d ecs.Divergence) { t.Error(d) })
	simulate(w)
	for name, e := range list {
		if got := *ecs.Get[place](w, e); got != at {
			t.Errorf("%s: it stands at %v, want %v", name, got, at)
		}
	}
}

// If two components name carriers, the first one that is not zero counts.
func TestNetcodeE9_FirstCarrierCounts(t *testing.T) {
	w := newServer(carries)
	ship, crane := w.Spawn(place{10, 10}), w.Spawn(place{50, 50})
	e := w.Spawn(place{}, held{w.NetID(ship), 1}, hung{w.NetID(crane)})
	for _, want := range []place{{11, 11}, {50, 49}} {
		simulate(w)
		if got := *ecs.Get[place](w, e); got != want {
			t.Errorf("it stands at %v, want %v", got, want)
		}
		ecs.Get[held](w, e).By = 0
	}
}

// A client places only entities that it simulates, at its own state of their carriers.
func TestNetcodeE9_AClientPlacesWhatItSimulates(t *testing.T) {
	w := newClient(carries)
	p := w.Protocol()
	mask := func(comps ...*ecs.Component) (m uint64) {
		for _, c := range comps {
			m |= 1 << c.Replicated()
		}
		return m
	}
	placeC, heldC := ecs.ComponentOf[place](p), ecs.ComponentOf[held](p)
	carrier := w.Netcode().Replica(1, mask(placeC), false)
	own := w.Netcode().Replica(2, mask(placeC, heldC), true)
	other := w.Netcode().Replica(3, mask(placeC, heldC), false)
	onOther := w.Netcode().Replica(4, mask(placeC, heldC), true)
	*ecs.Get[place](w, carrier), *ecs.Get[place](w, other) = place{30, 0}, place{90, 0}
	*ecs.Get[held](w, own), *ecs.Get[held](w, other), *ecs.Get[held](w, onOther) = held{1, 5}, held{1, 5}, held{3, 5}
	simulate(w)
	for e, want := range map[ecs.Entity]place{carrier: {30, 0}, own: {35, 1}, other: {90, 0}, onOther: {95, 1}} {
		if got := *ecs.Get[place](w, e); got != want {
			t.Errorf("%v stands at %v, want %v", e, got, want)
		}
	}
}

// Carry is the last system of Simulate, and changes the hash of the protocol.
func TestCarryIsPartOfTheProtocol(t *testing.T) {
	p := kitProtocol(carries)
	if names := ecs.NewSchedule(p.SimulateStage()).Names(); len(names) != 2 || names[1] != "Carry" {
		t.Errorf("Simulate runs %q", names)
	}
	without := func(p *ecs.Protocol) {
		ecs.Replicate[held](p, ecs.Predicted)
		ecs.Replicate[hung](p, ecs.Predicted)
	}
	if q := kitProtocol(without); q.Hash() == p.Hash() {
		t.Error("a peer that carries nothing has the same hash")
	} else if names := ecs.NewSchedule(q.SimulateStage()).Names(); len(names) != 1 {
		t.Errorf("Simulate of a game that carries nothing runs %q", names)
	}
}

// Carry panics with advice if its arguments or its calls are invalid.
func TestCarryRefuses(t *testing.T) {
	type unnamed struct {
		By components.NetID `net:"ref"`
	}
	type seen struct {
		By components.NetID `net:"ref parent"`
	}
	for _, test := range []struct {
		call func(p *ecs.Protocol)
		want []string
	}{
		{func(p *ecs.Protocol) { ecs.Carry(p, func(unnamed, place) place { return place{} }) }, []string{"unnamed", `net:"ref parent"`}},
		{func(p *ecs.Protocol) { ecs.Carry(p, func(seen, place) place { return place{} }) }, []string{"call Replicate[ecs_test.seen] first"}},
		{func(p *ecs.Protocol) { ecs.Carry(p, func(held, cooldown) cooldown { return cooldown{} }) }, []string{"call Replicate[ecs_test.cooldown] first"}},
		{func(p *ecs.Protocol) { ecs.Carry(p, func(held, push) push { return push{} }) }, []string{"call Replicate[ecs_test.push] first"}},
		{func(p *ecs.Protocol) { ecs.Carry(p, func(held, held) held { return held{} }) }, []string{"two different components"}},
		{func(p *ecs.Protocol) { ecs.Carry(p, besideIt) }, []string{"twice"}},
		{func(p *ecs.Protocol) { ecs.Carry[held, health](p, nil) }, []string{"needs a function"}},
		{func(p *ecs.Protocol) { p.Simulate("Carry", func(*ecs.World) {}) }, []string{`two systems are named "Carry"`}},
		{func(p *ecs.Protocol) {
			ecs.NewWorld(p, ecs.Config{})
			ecs.Carry(p, func(_ held, h health) health { return h })
		}, []string{"before NewWorld"}},
	} {
		p := kitProtocol(carries, func(p *ecs.Protocol) {
			ecs.Replicate[unnamed](p, 0)
		})
		refused(t, func() { test.call(p) }, test.want...)
	}
}

func TestAllocationsOfCarry(t *testing.T) {
	w := newServer(carries)
	below := w.Spawn(place{}, speed{})
	for range 12 {
		below = w.Spawn(place{}, speed{}, held{By: w.NetID(below)})
	}
	without(t, "a tick in which some carry others", 3, func() { simulate(w) })
}
