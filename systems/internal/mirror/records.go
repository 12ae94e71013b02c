package mirror

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
