package ecs_test

import (
	"errors"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// state returns a world's present state in bytes.
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

func TestWorldStateRefusesWhatIsNone(t *testing.T) {
	c := newChronicle(1)
	for tick := range uint32(40) {
		c.play(1, tick)
	}
	good := state(t, c.w)
	before := c.model()
	h := ecs.NewWorldHistory(c.w, 1)
	h.Capture(1)
	if _, err := h.AppendState(nil, 0); !errors.Is(err, ecs.ErrNoHistory) {
		t.Errorf("a tick that is gone: %v", err)
	}
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

// FuzzReadState reads any bytes. Afterwards the world can be walked, changed and captured.
func FuzzReadState(f *testing.F) {
	type bag struct {
		N     uint8 `net:"count"`
		Slots [4]uint16
		Open  bool
	}
	bags := func(p *ecs.Protocol) {
		ecs.ReplicateFields[bag](p, 0, map[string]string{"Slots": "raw", "N": "count"})
	}
	w := newServer(bags)
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
		w := newServer(bags)
		w.Spawn(place{}, hat{})
		err := w.Netcode().ReadState(b)
		if err == nil {
			again := newServer(bags)
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
