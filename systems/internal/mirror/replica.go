package mirror

import (
	"github.com/tactusgo/tactus/ecs"
)

// Location is where an entity stands: a group, and a slot of it.
type Location struct{ Group, Slot int32 }

// Replica is an entity of the server as a client knows it. What rooms keep of one besides
// lies under its index.
type Replica struct {
	ID     uint32
	Index  Index
	Entity ecs.Entity // in the client's world; zero until confirmed state came
	At     Location

	Before Location // where it stood before, if it has changed its place
	Moves  uint32   // how often it has changed its place

	Newest     uint32 // newest send that told of it
	stood      uint32 // newest send that had it in a slot
	Private    uint64 // components that only this client may see
	Removed    Removal
	WaitsSince uint32 // send since which own state must tell of it first; 0: none
	Simulated  bool   // here
	Own        bool   // it belongs to this client, which predicts
	mine       bool   // its newest state in the world says that it belongs to this client
	announced  bool   // the game was told that it came, and not that it went
}

// Removal says since when an entity is gone.
type Removal struct {
	Tick   uint32 // 0: it lives
	Hidden bool   // it is gone from sight, not from the world
	Away   bool   // it moved, and is out of sight unless it is told of elsewhere
}

// Predicted reports whether it is one of the client's own that are simulated here.
func (r *Replica) Predicted() bool { return r.Simulated && r.Own && !r.Entity.IsZero() }

// CoSimulated reports whether it is simulated here and not the client's own.
func (r *Replica) CoSimulated() bool { return r.Simulated && !r.Own }

// Index is the place of an entity's records, in the mirror's list of them and in that of
// every room that keeps one of its own. It stays the same for as long as the entity is
// known, and then becomes that of another one.
type Index int32

// Records is what a room keeps of each entity that the client knows. The mirror that they
// are attached to makes and clears them.
type Records[T any] struct{ rows []T }

// Of is the record of an entity; the pointer is good until another entity comes up.
func (x *Records[T]) Of(r *Replica) *T { return &x.rows[r.Index] }

func (x *Records[T]) grow() {
	var zero T
	x.rows = append(x.rows, zero)
}

func (x *Records[T]) clear(i Index) {
	var zero T
	x.rows[i] = zero
}

// RecordList is the records of a room, of whatever type.
type RecordList interface {
	grow()
	clear(Index)
}

// indexes hands out the places of records.
type indexes struct {
	lists []RecordList
	free  []Index
	count Index
}

// attach makes a room's records follow the entities that are known. It is called before
// there are any.
func (x *indexes) attach(lists ...RecordList) { x.lists = append(x.lists, lists...) }

// take is a place where all records are clear.
func (x *indexes) take() Index {
	if n := len(x.free); n > 0 {
		i := x.free[n-1]
		x.free = x.free[:n-1]
		return i
	}
	for _, l := range x.lists {
		l.grow()
	}
	x.count++
	return x.count - 1
}

// release clears all records of an entity that is no longer known.
func (x *indexes) release(i Index) {
	for _, l := range x.lists {
		l.clear(i)
	}
	x.free = append(x.free, i)
}

// Entities is what a client knows of the server's entities.
type Entities struct {
	list       []*Replica // in the order they came up
	byID       map[uint32]*Replica
	indexes    indexes
	tombstones tombstones
	toldAll    uint32 // all slots in sight were told of by that send or later
	limited    bool   // there is something that this client may not know, and who moves away is told of as that
}

// Attach makes a room's records follow the entities. It is called before there are any.
func (e *Entities) Attach(rooms ...RecordList) { e.indexes.attach(rooms...) }

// Of is an entity by its number, nil where it is unknown.
func (e *Entities) Of(id uint32) *Replica { return e.byID[id] }

// All are the entities in the order in which they came up, those included that are gone but
// not forgotten.
func (e *Entities) All() []*Replica { return e.list }

// Gone are the entities that are remembered for being gone.
func (e *Entities) Gone() []uint32 { return e.tombstones.ring }

// add begins to know of an entity.
func (e *Entities) add(id uint32) *Replica {
	r := &Replica{ID: id, Index: e.indexes.take()}
	e.byID[id] = r
	e.list = append(e.list, r)
	return r
}

// forget remembers of an entity only that it is gone. It stays in the list.
func (e *Entities) forget(r *Replica) {
	e.tombstones.add(r.ID, r.Removed.Hidden || r.Removed.Away)
	delete(e.byID, r.ID)
	e.indexes.release(r.Index)
}

// decided reports whether an entity that left its slot would have been heard of if it were
// elsewhere, by so new a send.
func (e *Entities) decided(r *Replica, newest uint32) bool {
	return r.Removed.Hidden || e.limited && !r.Removed.Away || r.Newest <= e.toldAll || newest > r.Newest+MissSends
}
