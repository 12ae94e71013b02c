package interest

import "github.com/tactusgo/tactus/internal/reuse"

// key is what an index finds groups by: a cell, or the number of a value in its first place.
// Groups of what has neither are found by nothing.
type key struct {
	at  [3]int32
	has bool
}

var nothing key

func keyOf(h *home, slot int) key {
	if h.has>>slot&1 == 0 {
		return nothing
	}
	return key{h.at[slot], true}
}

// index finds the groups of a key.
type index struct {
	first map[key]int32 // 1 + group
	links []link        // by group
}

// link is the neighbours of a group in the list of its key, each 1 + group, 0 for none.
type link struct{ before, next int32 }

// put puts a group into the list of a key, or takes it out.
func (x *index) put(k key, group int32, in bool) {
	x.links = reuse.Longer(x.links, max(len(x.links), int(group)+1))
	l, first := &x.links[group], x.first[k]
	if in {
		*l = link{next: first}
		if first > 0 {
			x.links[first-1].before = group + 1
		}
		x.first[k] = group + 1
		return
	}
	if l.next > 0 {
		x.links[l.next-1].before = l.before
	}
	switch {
	case l.before > 0:
		x.links[l.before-1].next = l.next
	case l.next > 0:
		x.first[k] = l.next
	default:
		delete(x.first, k)
	}
}

// of takes the groups of a key.
func (x *index) of(k key, r *Room) {
	for g := x.first[k]; g > 0; g = x.links[g-1].next {
		r.take(g - 1)
	}
}
