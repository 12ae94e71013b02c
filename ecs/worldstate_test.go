package ecs_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// state is a world's present state in bytes.
func state(t testing.TB, w *ecs.World) []byte {
	t.Helper()
	h := ecs.NewWorldHistory(w, 1)
	h.Capture(0)
	b, err := h.AppendState(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A world that is given the state of another goes on as that does, to the last handle
// and NetID, whatever was in it before.
func TestWorldStateGoesOnAsTheWorld(t *testing.T) {
	seeds, ticks := uint64(12), uint32(200)
	if testing.Short() || race.Enabled {
		seeds, ticks = 3, 100
	}
	for seed := range seeds {
		a, b := newChronicle(seed), newChronicle(seed)
		for tick := range uint32(50) {
			b.play(seed+5, tick) // to be gone
		}
		h := ecs.NewWorldHistory(b.w, 8)
		for tick := range ticks {
			a.play(seed, tick)
			if tick%37 != 5 {
				continue
			}
			if err := b.w.Netcode().ReadState(state(t, a.w)); err != nil {
				t.Fatal(err)
			}
			b.seen, b.ids = maps.Clone(a.seen), maps.Clone(a.ids)
			b.equals(t, a.model())
			if d, differs := ecs.Differs(a.w, b.w); differs {
				t.Fatal(d)
			}
			h.Capture(tick)
			want := a.model()
			for k := range uint32(20) {
				a.play(seed, tick+1000+k)
				b.play(seed, tick+1000+k)
				b.equals(t, a.model())
			}
			if err := h.Restore(tick); err != nil {
				t.Fatal(err)
			}
			b.equals(t, want)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestWorldStateOfThePast(t *testing.T) {
	a, b := newChronicle(3), newChronicle(3)
	h := ecs.NewWorldHistory(a.w, 16)
	models := map[uint32]*model{}
	for tick := range uint32(30) {
		models[tick] = a.model()
		h.Capture(tick)
		a.play(3, tick)
	}
	for tick := uint32(14); tick < 30; tick++ {
		bytes, err := h.AppendState(nil, tick)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.w.Netcode().ReadState(bytes); err != nil {
			t.Fatal(err)
		}
		b.seen, b.ids = maps.Clone(a.seen), maps.Clone(a.ids)
		b.equals(t, models[tick])
	}
	if _, err := h.AppendState(nil, 13); !errors.Is(err, ecs.ErrNoHistory) {
		t.Errorf("a tick that is gone: %v", err)
	}
}

func TestWorldStateRefusesWhatIsNone(t *testing.T) {
	c := newChronicle(1)
	for tick := range uint32(40) {
		c.play(1, tick)
	}
	good := state(t, c.w)
	before := c.model()
	for n := range good {
		if err := c.w.Netcode().ReadState(good[:n]); !errors.Is(err, ecs.ErrState) {
			t.Fatalf("%d bytes of %d: %v", n, len(good), err)
		}
	}
	if err := c.w.Netcode().ReadState(append(good, 0)); !errors.Is(err, ecs.ErrState) {
		t.Errorf("a byte too many: %v", err)
	}
	other := newServer()
	if err := other.Netcode().ReadState(good); !errors.Is(err, ecs.ErrState) {
		t.Errorf("another protocol: %v", err)
	}
	c.equals(t, before)
	refused(t, func() { state(t, newClient()) }, "client's world")
	refused(t, func() { system(other, func(w *ecs.World) { w.Spawn(place{}); w.Netcode().ReadState(good) }) }, "end of a stage")
}

// Whatever the bytes say, the world stays one that can be walked, changed and
// captured.
func FuzzReadState(f *testing.F) {
	type bag struct {
		N     uint8 `net:"count"`
		Slots [4]uint16
		Open  bool
	}
	protocol := func() *ecs.Protocol {
		p := kitProtocol()
		ecs.ReplicateFields[bag](p, 0, map[string]string{"Slots": "raw", "N": "count"})
		return p
	}
	w := ecs.NewWorld(protocol(), ecs.Config{})
	f.Add(state(f, w))
	w.Spawn(place{1, 2}, components.Owner{Client: 3}, bag{N: 2, Open: true})
	w.Despawn(w.Spawn(hat{4}))
	w.Netcode().SetInputSequence(3, 9)
	f.Add(state(f, w))
	for i := range 5 {
		w.Spawn(place{}, odd{B: uint64(i)}, flag{})
	}
	f.Add(state(f, w))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := ecs.NewWorld(protocol(), ecs.Config{})
		w.Spawn(place{}, hat{})
		err := w.Netcode().ReadState(b)
		if err == nil {
			again := ecs.NewWorld(protocol(), ecs.Config{})
			if err := again.Netcode().ReadState(state(t, w)); err != nil {
				t.Fatalf("its own state: %v", err)
			}
			if _, differs := ecs.Differs(w, again); differs {
				t.Fatal("its own state is another one")
			}
		} else if !errors.Is(err, ecs.ErrState) {
			t.Fatal(err)
		}
		h := ecs.NewWorldHistory(w, 2)
		h.Capture(1)
		var es []ecs.Entity
		for e := range ecs.Each[placeRow](w) {
			es = append(es, e)
		}
		for _, e := range es {
			w.Despawn(e)
		}
		for _, r := range ecs.All[struct{ Bag bag }](w) {
			_ = r.Bag.Slots[:r.Bag.N]
		}
		w.Spawn(place{}, speed{})
		if err := h.Restore(1); err != nil {
			t.Fatal(err)
		}
	})
}
