package mirror

import (
	"github.com/tactusgo/tactus/ecs"
)

// Location is a group and a slot of it.
type Location struct{ Group, Slot int32 }

// Replica is an entity of the server as a client knows it. Other packages store their data of an entity at its
// Index.
type Replica struct {
	ID     uint32
	Index  Index
	Entity ecs.Entity // in the client's world; zero until confirmed state arrives
	At     Location

	Newest     uint32 // newest send with this entity
	Private    uint64 // bits of its private components on this client
	Removed    Removal
	WaitsSince uint32 // send since which it waits for owner state; 0: it does not wait
	Simulated  bool   // the client simulates it
	Own        bool   // the client owns and predicts it
	mine       bool   // the client owns it according to its newest world state
	announced  bool   // its entering was reported, and its leaving was not
}

// Removal describes when and how an entity left its slot.
type Removal struct {
	Tick   uint32 // 0: it is present
	Hidden bool   // it is out of sight, not removed from the server's world
}

// Predicted reports whether the entity is owned and simulated by this client.
func (r *Replica) Predicted() bool { return r.Simulated && r.Own && !r.Entity.IsZero() }

// CoSimulated reports whether the entity is simulated by this client but not owned.
func (r *Replica) CoSimulated() bool { return r.Simulated && !r.Own }

// Index is the index of an entity's records, in the mirror and in each package that attached records. It is
// constant while the entity is known, and reused afterwards.
type Index int32

// Records holds one record of type T per known entity. The mirror that it is attached to creates and clears the
// records.
type Records[T any] struct{ rows []T }

// Of returns the record of an entity. The pointer is valid until a new entity is added.
func (x *Records[T]) Of(r *Replica) *T { return &x.rows[r.Index] }

func (x *Records[T]) grow() {
	var zero T
	x.rows = append(x.rows, zero)
}

func (x *Records[T]) clear(i Index) {
	var zero T
	x.rows[i] = zero
}

// RecordList is implemented by Records of any type.
type RecordList interface {
	grow()
	clear(Index)
}

// indexes assigns indexes to entities.
type indexes struct {
	lists []RecordList
	free  []Index
	count Index
}

// attach adds record lists. Call it before the first entity is added.
func (x *indexes) attach(lists ...RecordList) { x.lists = append(x.lists, lists...) }

// allocate returns an index whose records are clear.
func (x *indexes) allocate() Index {
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

// Entities holds the server's entities that a client knows.
type Entities struct {
	list       []*Replica // in the order of arrival
	byID       map[uint32]*Replica
	indexes    indexes
	tombstones tombstones
}

// Attach adds record lists of other packages. Call it before the first entity is added.
func (e *Entities) Attach(rooms ...RecordList) { e.indexes.attach(rooms...) }

// Of returns an entity by its number, or nil.
func (e *Entities) Of(id uint32) *Replica { return e.byID[id] }

// All returns all known entities in the order of arrival, including gone ones that are not forgotten.
func (e *Entities) All() []*Replica { return e.list }

// Gone returns the remembered numbers of gone entities.
func (e *Entities) Gone() []uint32 { return e.tombstones.ring }

// add adds an entity.
func (e *Entities) add(id uint32) *Replica {
	r := &Replica{ID: id, Index: e.indexes.allocate()}
	e.byID[id] = r
	e.list = append(e.list, r)
	return r
}

// forget replaces an entity by a tombstone. The caller removes it from the list.
func (e *Entities) forget(r *Replica) {
	e.tombstones.add(r.ID, r.Removed.Hidden)
	delete(e.byID, r.ID)
	e.indexes.release(r.Index)
}
