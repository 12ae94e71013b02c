package roll

// Roll is a list of members. Create it with [New].
type Roll[T any] struct {
	list    []*T // nil: removed since the last call of All
	removed int
	index   func(*T) *int
}

// New returns an empty list. index returns a pointer to the field in which a member stores its index in this list.
func New[T any](index func(*T) *int) Roll[T] { return Roll[T]{index: index} }

// Add appends a member.
func (r *Roll[T]) Add(m *T) {
	*r.index(m) = len(r.list)
	r.list = append(r.list, m)
}

// Remove removes a member. It returns false if the member is not in the list. A loop over a slice that All has
// returned then finds nil in its place.
func (r *Roll[T]) Remove(m *T) bool {
	at := *r.index(m)
	if at >= len(r.list) || r.list[at] != m {
		return false
	}
	r.list[at] = nil
	r.removed++
	return true
}

// Len returns the number of members.
func (r *Roll[T]) Len() int { return len(r.list) - r.removed }

// All returns the members in the order of adding. The slice is valid until the next Add. Do not modify it.
func (r *Roll[T]) All() []*T {
	if r.removed == 0 {
		return r.list
	}
	there := r.list[:0]
	for _, m := range r.list {
		if m != nil {
			*r.index(m) = len(there)
			there = append(there, m)
		}
	}
	clear(r.list[len(there):])
	r.list, r.removed = there, 0
	return there
}
