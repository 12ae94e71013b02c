package roll

// Roll is a list of members. Make one with [New].
type Roll[T any] struct {
	list  []*T // nil: gone since the last walk
	gone  int
	place func(*T) *int
}

// New makes an empty list. place is where a member keeps its place, for this list alone.
func New[T any](place func(*T) *int) Roll[T] { return Roll[T]{place: place} }

// Add puts a member at the end.
func (r *Roll[T]) Add(m *T) {
	*r.place(m) = len(r.list)
	r.list = append(r.list, m)
}

// Remove takes a member off, and reports false where it is not on the list. The walk over a slice that All has
// returned finds nil in its place.
func (r *Roll[T]) Remove(m *T) bool {
	at := *r.place(m)
	if at >= len(r.list) || r.list[at] != m {
		return false
	}
	r.list[at] = nil
	r.gone++
	return true
}

// Len is how many members there are.
func (r *Roll[T]) Len() int { return len(r.list) - r.gone }

// All is the members in the order in which they came. It is good until the next Add, and must not be written.
func (r *Roll[T]) All() []*T {
	if r.gone == 0 {
		return r.list
	}
	there := r.list[:0]
	for _, m := range r.list {
		if m != nil {
			*r.place(m) = len(there)
			there = append(there, m)
		}
	}
	clear(r.list[len(there):])
	r.list, r.gone = there, 0
	return there
}
