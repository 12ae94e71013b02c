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
