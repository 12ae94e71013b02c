package mirror

// Entities is what a client knows of the server's entities.
type Entities struct {
	list       []*Replica // in the order they came up
	byID       map[uint32]*Replica
	indexes    indexes
	tombstones tombstones
	toldAll    uint32 // all slots in sight were told of by that send or later
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
	e.tombstones.add(r.ID, r.Removed.Hidden)
	delete(e.byID, r.ID)
	e.indexes.release(r.Index)
}

// decided reports whether an entity that left its slot would have been heard of if it were
// elsewhere, by so new a send.
func (e *Entities) decided(r *Replica, newest uint32) bool {
	return r.Removed.Hidden || r.Newest <= e.toldAll || newest > r.Newest+MissSends
}
