package mirror

import (
	"math/rand/v2"
	"testing"
)

// stateAt returns a state of a send with an entity in slot 5 whose value is the send.
func stateAt(m *Memory, send uint32) *State {
	st := m.Get(send, send*3)
	rec := st.Put(5, 9, 1, 2)
	rec[0], rec[1] = int32(send), 7
	m.account(st)
	return st
}

// putAt calls History.put for a state without reasons.
func putAt(h *History, m *Memory, send, floor uint32) bool {
	st := stateAt(m, send)
	if h.At(send) != nil {
		m.merge(h.At(send), st)
		m.Release(st)
		return true
	}
	if !h.put(m, st, floor) {
		m.Release(st)
		return false
	}
	return true
}

// A history keeps every state from the floor on, in whatever order states arrive, up to the limit of its ring.
func TestHistoryKeepsWhatTheFloorAsksFor(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		var h History
		var m Memory
		have := map[uint32]bool{}
		floor, newest := uint32(1), uint32(0)
		for newest < 2000 {
			newest += uint32(1 + r.IntN(3))
			send := newest - min(uint32(r.IntN(40)), newest-1)
			if r.IntN(50) == 0 {
				floor = max(floor, newest-min(uint32(r.IntN(120)), newest-1))
			}
			if send < floor {
				continue
			}
			if putAt(&h, &m, send, floor) {
				have[send] = true
			}
			for s := range have {
				if s < floor {
					delete(have, s)
					continue
				}
				st := h.At(s)
				if st == nil {
					if newest-floor >= MaxStates {
						continue
					}
					t.Fatalf("seed %d: at %d with floor %d the state of %d is gone", seed, newest, floor, s)
				}
				if st.Tick != s*3 || st.Record(5)[0] != int32(s) {
					t.Fatalf("seed %d: the state of %d says %+v", seed, s, st.Record(5))
				}
			}
			if len(h.Ring) > MaxStates {
				t.Fatalf("a ring of %d", len(h.Ring))
			}
		}
	}
}

// An older state never replaces a newer one.
func TestHistoryOldNeverReplacesNew(t *testing.T) {
	var h History
	var m Memory
	putAt(&h, &m, 1000, 1000)
	if putAt(&h, &m, 1000-minStates, 1001) {
		t.Error("old news were taken in place of new")
	}
	if st := h.At(1000); st == nil || st.Record(5)[0] != 1000 {
		t.Errorf("after old news: %+v", st)
	}
	// At its largest the ring gives up old states, not new ones.
	for send := uint32(2000); send < 2000+2*MaxStates; send++ {
		putAt(&h, &m, send, 1)
	}
	if len(h.Ring) != MaxStates {
		t.Fatalf("a ring of %d", len(h.Ring))
	}
	putAt(&h, &m, 2000, 1)
	for send := uint32(2000 + MaxStates); send < 2000+2*MaxStates; send++ {
		if st := h.At(send); st == nil || st.Record(5)[0] != int32(send) {
			t.Fatalf("the state of %d: %+v", send, st)
		}
	}
}

func TestHistoryStaysSmallAboveTheMemoryLimit(t *testing.T) {
	var h History
	m := Memory{Used: MaxMemory}
	for send := uint32(1); send < 100; send++ {
		putAt(&h, &m, send, 1)
	}
	if len(h.Ring) != minStates || h.At(99) == nil {
		t.Errorf("a ring of %d", len(h.Ring))
	}
}

// Several packets of one send form one state. Slots that have arrived are not replaced.
func TestHistoryMerges(t *testing.T) {
	var m Memory
	a, b := m.Get(4, 12), m.Get(4, 12)
	a.Put(1, 11, 1, 1)[0] = 1
	a.Clear(2, true)
	b.Put(1, 99, 1, 1)[0] = 9
	b.Put(2, 98, 1, 1)[0] = 8
	b.Put(3, 13, 3, 2)[1] = 3
	b.Clear(4, false)
	m.account(a)
	m.account(b)
	m.merge(a, b)
	if a.Known != 0b11110 || a.Alive != 0b1010 || a.Hidden != 0b100 || a.IDs[1] != 11 || a.Record(1)[0] != 1 || a.Record(3)[1] != 3 {
		t.Errorf("%+v", a.Group)
	}
}

func TestHistoryAround(t *testing.T) {
	var h History
	var m Memory
	r := &Replica{ID: 9, At: Location{0, 5}}
	if from, to, _ := h.Around(r.ID, r.At.Slot, 5); from != nil || to != nil {
		t.Error("nothing has states")
	}
	for _, send := range []uint32{4, 2, 9} {
		putAt(&h, &m, send, 1)
	}
	other := m.Get(3, 9) // somebody else stood there
	other.Put(5, 8, 1, 2)
	h.put(&m, other, 1)
	putAt(&h, &m, 40, 40) // more sends later than the ring is long: the older states stay in their places
	for _, c := range []struct {
		at       float64
		from, to uint32
		gone     bool
	}{
		{5.9, 0, 6, false}, {6, 6, 12, false}, {11, 6, 12, true}, {12, 12, 27, false}, {26.9, 12, 27, false}, {27, 27, 120, false},
		{119, 27, 120, false}, {120, 120, 0, false}, {1e9, 120, 0, false},
	} {
		from, to, gone := h.Around(r.ID, r.At.Slot, c.at)
		if tickAt(from) != c.from || tickAt(to) != c.to || gone != c.gone {
			t.Errorf("around %v: %d and %d, gone %v", c.at, tickAt(from), tickAt(to), gone)
		}
	}
}

func tickAt(st *State) uint32 {
	if st == nil {
		return 0
	}
	return st.Tick
}

// An entity with a reused index has clean records in all packages.
func TestReusedIndexIsClean(t *testing.T) {
	var a Records[int]
	var b Records[struct{ p *int }]
	e := Entities{byID: make(map[uint32]*Replica)}
	e.Attach(&a, &b)
	first, other := e.add(1), e.add(2)
	for i, r := range []*Replica{first, other} {
		*a.Of(r), b.Of(r).p = i+1, new(int)
	}
	e.forget(first)
	if e.Of(1) != nil || e.tombstones.reason(1) != Destroyed {
		t.Error("an entity that is gone is not forgotten")
	}
	again := e.add(3)
	if again.Index != first.Index || again.Index == other.Index {
		t.Errorf("index %d after %d and %d", again.Index, first.Index, other.Index)
	}
	if *a.Of(again) != 0 || b.Of(again).p != nil {
		t.Errorf("%v, %v of another entity", *a.Of(again), b.Of(again).p)
	}
	if *a.Of(other) != 2 || b.Of(other).p == nil {
		t.Error("the records of one that lives are lost")
	}
}
