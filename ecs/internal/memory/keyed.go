package memory

import (
	"cmp"
	"slices"
)

// Keyed finds values by a number, such as an entity by its NetID. It is an open
// table with linear probing that is at most half full; unlike a map it takes
// and loses an entry in a few nanoseconds, which is what spawning costs most.
// The zero Keyed is empty. It has no order and is never walked.
type Keyed[V any] struct {
	places []Place[V] // a power of two, or none
	shift  uint8      // that leaves as many bits of a hash as there are places
	n      int
}

// Place holds one entry of a [Keyed].
type Place[V any] struct {
	Key   uint32
	Value V
	taken bool
}

// home is where the search for a key begins: consecutive numbers, which NetIDs
// are, lie spread out (Fibonacci hashing).
func (t *Keyed[V]) home(key uint32) uint32 { return key * 0x9e3779b1 >> (t.shift & 31) }

// Find is where the value of a key is, or nil. It is good until the next Put or
// Drop.
func (t *Keyed[V]) Find(key uint32) *V {
	if t.n == 0 {
		return nil
	}
	last := uint32(len(t.places) - 1)
	for i := t.home(key); ; i++ {
		p := &t.places[i&last]
		if !p.taken {
			return nil
		}
		if p.Key == key {
			return &p.Value
		}
	}
}

// Put is where the value of a key is, or will be: zero when it is new.
func (t *Keyed[V]) Put(key uint32) *V {
	if 2*(t.n+1) > len(t.places) {
		t.grow()
	}
	last := uint32(len(t.places) - 1)
	for i := t.home(key); ; i++ {
		p := &t.places[i&last]
		if !p.taken {
			p.Key, p.taken = key, true
			t.n++
			return &p.Value
		}
		if p.Key == key {
			return &p.Value
		}
	}
}

func (t *Keyed[V]) grow() {
	old := t.places
	size := max(16, 2*len(old))
	t.places = make([]Place[V], size)
	t.n, t.shift = 0, 32
	for s := size; s > 1; s >>= 1 {
		t.shift--
	}
	for i := range old {
		if p := &old[i]; p.taken {
			*t.Put(p.Key) = p.Value
		}
	}
}

// Drop forgets a key. What was put further on because its place was taken moves
// up, so that a search may stop at the first free place.
func (t *Keyed[V]) Drop(key uint32) {
	if t.n == 0 {
		return
	}
	last := uint32(len(t.places) - 1)
	i := t.home(key) & last
	for ; t.places[i].Key != key || !t.places[i].taken; i = (i + 1) & last {
		if !t.places[i].taken {
			return
		}
	}
	t.n--
	for k := i; ; {
		k = (k + 1) & last
		p := &t.places[k]
		if !p.taken {
			break
		}
		// p stays when its home lies behind the gap.
		if (k-t.home(p.Key))&last < (k-i)&last {
			continue
		}
		t.places[i] = *p
		i = k
	}
	t.places[i] = Place[V]{}
}

// Clear forgets all keys and keeps the room.
func (t *Keyed[V]) Clear() {
	clear(t.places)
	t.n = 0
}

// Set makes t what o is, in memory of its own.
func (t *Keyed[V]) Set(o *Keyed[V]) {
	t.places = append(t.places[:0], o.places...)
	t.n, t.shift = o.n, o.shift
}

// Sorted lists what the table holds, by key.
func (t *Keyed[V]) Sorted() []Place[V] {
	list := slices.DeleteFunc(slices.Clone(t.places), func(p Place[V]) bool { return !p.taken })
	slices.SortFunc(list, func(a, b Place[V]) int { return cmp.Compare(a.Key, b.Key) })
	return list
}
