package baseline

import "slices"

// Records are what is known of a client by group: one for each group that it was told of or is to be
// told of, none for others. Where it is told of all they are found by number at once, else by
// searching. A *Group is good until records come or go.
//
// The zero value has none.
type Records struct {
	numbers []uint32 // ascending
	groups  []Group
}

// Len is how many records there are.
func (r *Records) Len() int { return len(r.numbers) }

// Groups are the numbers of groups that have a record, ascending. They belong to the records.
func (r *Records) Groups() []uint32 { return r.numbers }

// Nth is a record by its place among them, with the number of its group.
func (r *Records) Nth(i int) (g uint32, h *Group) { return r.numbers[i], &r.groups[i] }

// At is the record of a group, nil where there is none.
func (r *Records) At(g uint32) *Group {
	if i, ok := r.find(g); ok {
		return &r.groups[i]
	}
	return nil
}

// find is the place of a group's record, or the one that it would have.
func (r *Records) find(g uint32) (i int, ok bool) {
	if int(g) < len(r.numbers) && r.numbers[g] == g {
		return int(g), true // none is missing before it
	}
	return slices.BinarySearch(r.numbers, g)
}

// Grow makes records of all groups up to a number, of which the client is told from the first send on.
func (r *Records) Grow(groups int) {
	for g := uint32(len(r.numbers)); int(g) < groups; g++ {
		r.numbers, r.groups = append(r.numbers, g), append(r.groups, Group{})
	}
}

// Tell is the record of a group of which the client is told from a send on: a new one, which holds
// nothing, where there was none.
func (r *Records) Tell(g, send uint32) *Group {
	i, ok := r.find(g)
	if !ok {
		r.numbers = slices.Insert(r.numbers, i, g)
		r.groups = slices.Insert(r.groups, i, Group{since: send})
	}
	return &r.groups[i]
}

// within are the places of records from a group on, so many groups.
func (r *Records) within(first, count uint32) (from, to int) {
	from, _ = r.find(first)
	to = from
	for to < len(r.numbers) && r.numbers[to]-first < count {
		to++
	}
	return from, to
}

// take takes away the records of which gone says so, and calls left with their places.
func (r *Records) take(gone func(*Group) bool, left func(place int)) {
	kept := 0
	for i := range r.groups {
		if gone(&r.groups[i]) {
			left(kept)
			continue
		}
		r.numbers[kept], r.groups[kept] = r.numbers[i], r.groups[i]
		kept++
	}
	clear(r.groups[kept:])
	r.numbers, r.groups = r.numbers[:kept], r.groups[:kept]
}
