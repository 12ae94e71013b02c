package mirror

// Presence describes what a client knows about the absence or presence of an entity.
type Presence uint8

// Package systems documents the constants.
const (
	NotLoaded Presence = iota
	Present
	Stale
	OutOfInterest
	Destroyed
)

// String returns the name of the constant.
func (p Presence) String() string {
	names := [...]string{"NotLoaded", "Present", "Stale", "OutOfInterest", "Destroyed"}
	if int(p) < len(names) {
		return names[p]
	}
	return "Presence(?)"
}

// MaxGone is the maximum number of removed entities that a client remembers.
const MaxGone = 1 << 12

// tombstones remembers why entities are gone.
type tombstones struct {
	why  map[uint32]Presence
	ring []uint32 // ids in the order of removal
	next int
}

func (a *tombstones) add(id uint32, hidden bool) {
	if a.why == nil {
		a.why = make(map[uint32]Presence)
	}
	if _, known := a.why[id]; !known {
		if len(a.ring) < MaxGone {
			a.ring = append(a.ring, id)
		} else {
			delete(a.why, a.ring[a.next])
			a.ring[a.next] = id
			a.next = (a.next + 1) % MaxGone
		}
	}
	a.why[id] = Destroyed
	if hidden {
		a.why[id] = OutOfInterest
	}
}

func (a *tombstones) reason(id uint32) Presence { return a.why[id] }

// join is the state with which the client joined, or joined again.
type join struct {
	Sent              // the newest state that has arrived completely; 0: none
	since      uint32 // send at which it had arrived
	ready      bool   // that state is not placed yet
	loaded     bool   // the client has joined
	placing    bool   // the client is joining now
	loadedTick uint32
}

// load sets the world to the state of the join, except own entities, which may already be ahead.
func (m *Mirror) load() {
	send, first := m.join.Send, !m.join.loaded
	m.join.ready = false
	if !first {
		return
	}
	m.Load(m.join.Tick)
	m.join.placing = true
	for _, s := range m.Store.World.sets.of(send).list.members {
		g, k := s.at.Group, int(s.at.Slot)
		x := m.Store.World.Groups[g]
		st := x.At(send)
		if st == nil || !st.Says(s.id, s.at.Slot) {
			continue
		}
		if x.Updated[k] > send && x.Fresh>>k&1 == 0 && x.Here[k] == nil {
			continue // the entity has been removed since
		}
		r := m.assignSlot(g, x, k, st)
		if r == nil || !r.Entity.IsZero() && m.simulates(r.Entity) || !m.placeRecord(r, st, k) {
			continue
		}
		if x.Updated[k] == send {
			x.Fresh &^= 1 << k
		}
	}
	m.join.placing = false
	if m.config.Loaded != nil {
		m.config.Loaded(m.config.World, m.join.Tick)
	}
}
