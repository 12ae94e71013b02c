package ecs

import "testing"

type piece struct {
	Kind uint8 `net:"raw"`
}

// A restored world is arranged as captured, so that what follows, another restore
// or a capture into the same place, copies columns and nothing else.
func TestARestoreBringsBackTheArrangement(t *testing.T) {
	p := NewProtocol("arrangement")
	Replicate[piece](p, 0)
	w := NewWorld(p, Config{})
	h := NewWorldHistory(w, 4)
	var es []Entity
	for i := range 20 {
		es = append(es, w.Spawn(piece{uint8(i)}))
	}
	h.Capture(1)
	w.Despawn(es[3])
	w.Spawn(piece{50})
	w.Shuffle(1)
	h.Capture(2)
	for _, tick := range []uint32{1, 2, 1} {
		if !h.differs(h.place(tick)) {
			t.Errorf("tick %d: nothing to do", tick)
		}
		if err := h.Restore(tick); err != nil {
			t.Fatal(err)
		}
		if h.differs(h.place(tick)) || h.states[tick].handles.settled != w.handles.settled {
			t.Errorf("tick %d: arranged otherwise", tick)
		}
	}
}
