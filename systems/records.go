package systems

// index is the place of an entity's records, in the mirror's list of them and in that of
// every room that keeps one of its own. It stays the same for as long as the entity is
// known, and then becomes that of another one.
type index int32

// records is what a room keeps of each entity that the client knows. The mirror that they
// are attached to makes and clears them.
type records[T any] struct{ rows []T }

// of is the record of an entity; the pointer is good until another entity comes up.
func (x *records[T]) of(r *replica) *T { return &x.rows[r.index] }

func (x *records[T]) grow() {
	var zero T
	x.rows = append(x.rows, zero)
}

func (x *records[T]) clear(i index) {
	var zero T
	x.rows[i] = zero
}

// recordList is the records of a room, of whatever type.
type recordList interface {
	grow()
	clear(index)
}

// indexes hands out the places of records.
type indexes struct {
	lists []recordList
	free  []index
	count index
}

// attach makes a room's records follow the entities that are known. It is called before
// there are any.
func (x *indexes) attach(lists ...recordList) { x.lists = append(x.lists, lists...) }

// take is a place where all records are clear.
func (x *indexes) take() index {
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
func (x *indexes) release(i index) {
	for _, l := range x.lists {
		l.clear(i)
	}
	x.free = append(x.free, i)
}
