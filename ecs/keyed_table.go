package ecs

import (
	"cmp"
	"slices"
)

// keyedTable finds values by a number, such as an entity by its NetID. It is a hash table with open addressing and linear
// probing that is at most half full. Unlike a map it adds and removes an entry in a few nanoseconds, which dominates the
// cost of spawning. The zero keyedTable is empty. It has no order and is never walked.
type keyedTable[V any] struct {
	places []keyedEntry[V] // a power of two, or none
	shift  uint8           // shifts a hash to an index of places
	n      int
}

// keyedEntry is one entry of a keyedTable.
type keyedEntry[V any] struct {
	key   uint32
	value V
	taken bool
}

// home returns where the search for a key starts. Consecutive numbers, which NetIDs are, lie spread out (Fibonacci
// hashing).
func (t *keyedTable[V]) home(key uint32) uint32 { return key * 0x9e3779b1 >> (t.shift & 31) }

// find returns a pointer to the value of a key, or nil. It is good until the next put or remove.
func (t *keyedTable[V]) find(key uint32) *V {
	if t.n == 0 {
		return nil
	}
	last := uint32(len(t.places) - 1)
	for i := t.home(key); ; i++ {
		p := &t.places[i&last]
		if !p.taken {
			return nil
		}
		if p.key == key {
			return &p.value
		}
	}
}

// put returns a pointer to the value of a key. A new key gets the zero value. The pointer is good until the next put or
// remove.
func (t *keyedTable[V]) put(key uint32) *V {
	if 2*(t.n+1) > len(t.places) {
		t.grow()
	}
	last := uint32(len(t.places) - 1)
	for i := t.home(key); ; i++ {
		p := &t.places[i&last]
		if !p.taken {
			p.key, p.taken = key, true
			t.n++
			return &p.value
		}
		if p.key == key {
			return &p.value
		}
	}
}

func (t *keyedTable[V]) grow() {
	old := t.places
	size := max(16, 2*len(old))
	t.places = make([]keyedEntry[V], size)
	t.n, t.shift = 0, 32
	for s := size; s > 1; s >>= 1 {
		t.shift--
	}
	for i := range old {
		if p := &old[i]; p.taken {
			*t.put(p.key) = p.value
		}
	}
}

// remove removes a key. Entries that were put further on because their place was taken move up, so that a search may stop
// at the first free place.
func (t *keyedTable[V]) remove(key uint32) {
	if t.n == 0 {
		return
	}
	last := uint32(len(t.places) - 1)
	i := t.home(key) & last
	for ; t.places[i].key != key || !t.places[i].taken; i = (i + 1) & last {
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
		if (k-t.home(p.key))&last < (k-i)&last {
			continue
		}
		t.places[i] = *p
		i = k
	}
	t.places[i] = keyedEntry[V]{}
}

// clear removes all keys and keeps the memory.
func (t *keyedTable[V]) clear() {
	clear(t.places)
	t.n = 0
}

// copyFrom makes t a copy of o, in memory of its own.
func (t *keyedTable[V]) copyFrom(o *keyedTable[V]) {
	t.places = append(t.places[:0], o.places...)
	t.n, t.shift = o.n, o.shift
}

// sorted returns the entries, ordered by key.
func (t *keyedTable[V]) sorted() []keyedEntry[V] {
	list := slices.DeleteFunc(slices.Clone(t.places), func(p keyedEntry[V]) bool { return !p.taken })
	slices.SortFunc(list, func(a, b keyedEntry[V]) int { return cmp.Compare(a.key, b.key) })
	return list
}
