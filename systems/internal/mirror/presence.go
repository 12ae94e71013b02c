package mirror

// Presence is what a client knows of the whereabouts of an entity.
type Presence uint8

// See the constants of the same names in package systems.
const (
	NotLoaded Presence = iota
	Present
	Stale
	OutOfInterest
	Destroyed
)

// String is the name of the constant.
func (p Presence) String() string {
	names := [...]string{"NotLoaded", "Present", "Stale", "OutOfInterest", "Destroyed"}
	if int(p) < len(names) {
		return names[p]
	}
	return "Presence(?)"
}

// MaxGone is how many entities that are gone a client remembers.
const MaxGone = 1 << 12

// tombstones remembers why entities are not there.
type tombstones struct {
	why  map[uint32]Presence
	ring []uint32 // ids in the order in which they left
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

func (a *tombstones) of(id uint32) Presence { return a.why[id] }

// join is the state with which the client joins.
type join struct {
	Sent       // 0: none yet
	groups     int
	loaded     bool // it has joined
	placing    bool // it is just joining
	loadedTick uint32
}

// whole reports whether all of it is here.
func (j *join) whole(s *Store) bool {
	return j.Send != 0 && s.whole(j.Send, j.groups)
}

// collected is the send of which all is kept; 0: none.
func (j *join) collected() uint32 {
	if j.loaded {
		return 0
	}
	return j.Send
}

// start begins to collect the state of a send; what was collected of another one is kept as
// far back as floor says.
func (j *join) start(of Sent, groups int, s *Store, floor uint32) {
	s.unpin(floor)
	j.Sent, j.groups = of, groups
	for _, x := range s.World {
		x.pin(of.Send)
	}
	grow(&s.World, groups)
}

// load makes the world the one of the send with which the client joins, but for own
// entities, which may be ahead already.
func (m *Mirror) load() {
	send := m.join.Send
	m.Load(m.join.Tick)
	m.join.placing = true
	for g, x := range m.Store.World[:m.join.groups] {
		st := x.At(send)
		for s := st.Alive; s != 0; s &= s - 1 {
			k := trailing(s)
			if old := x.Here[k]; old != nil && old.ID != st.IDs[k] && old.Newest > send {
				continue // an own entity, which did not wait, has come to stand there
			}
			if x.Told[k] > send && x.Fresh>>k&1 == 0 && x.Here[k] == nil {
				continue // nor did one that is gone by now
			}
			r := m.stand(int32(g), x, k, st)
			if r == nil || !r.Entity.IsZero() && m.simulates(r.Entity) || !m.placeRecord(r, st, k) {
				continue
			}
			if x.Told[k] == send {
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
