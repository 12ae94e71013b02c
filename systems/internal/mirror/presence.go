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

// join is the state with which the client joins.
type join struct {
	Sent       // 0: none yet
	groups     int
	ready      bool // all entities in sight have arrived, if the server sends sets
	loaded     bool // the client has joined
	placing    bool // the client is joining now
	loadedTick uint32
}

// complete reports whether the whole state has arrived.
func (j *join) complete(s *Store) bool {
	return j.Send != 0 && s.complete(j.Send, j.groups)
}

// collected returns the send whose states are all kept; 0: none.
func (j *join) collected() uint32 {
	if j.loaded {
		return 0
	}
	return j.Send
}

// start starts collecting the state of a send. States collected for another send are kept back to floor.
func (j *join) start(of Sent, groups int, s *Store, floor uint32) {
	s.unpin(floor)
	j.Sent, j.groups = of, groups
	for _, x := range s.World {
		x.pin(of.Send)
	}
	grow(&s.World, groups)
}

// load sets the world to the state of the join, except own entities, which may already be ahead.
func (m *Mirror) load() {
	send := m.join.Send
	m.Load(m.join.Tick)
	m.join.placing = true
	for g, x := range m.Store.World[:m.join.groups] {
		st := x.At(send)
		for s := st.Alive; s != 0; s &= s - 1 {
			k := trailing(s)
			if old := x.Here[k]; old != nil && old.ID != st.IDs[k] && old.Newest > send {
				continue // an own entity, which did not wait for the join, has taken the slot
			}
			if x.Updated[k] > send && x.Fresh>>k&1 == 0 && x.Here[k] == nil {
				continue // the entity has been removed since
			}
			r := m.assignSlot(int32(g), x, k, st)
			if r == nil || !r.Entity.IsZero() && m.simulates(r.Entity) || !m.placeRecord(r, st, k) {
				continue
			}
			if x.Updated[k] == send {
				x.Fresh &^= 1 << k
			}
		}
	}
	m.join.placing = false
	m.Store.unpin(m.baselines.floor)
	if m.config.Loaded != nil {
		m.config.Loaded(m.config.World, m.join.Tick)
	}
}
