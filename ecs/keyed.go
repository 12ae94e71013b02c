package ecs

// keyed finds values by a number, such as an entity by its NetID. It is an open
// table with linear probing that is at most half full; unlike a map it takes
// and loses an entry in a few nanoseconds, which is what spawning costs most.
// The zero keyed is empty. It has no order and is never walked.
type keyed[V any] struct {
	places []keyedPlace[V] // a power of two, or none
	shift  uint8           // that leaves as many bits of a hash as there are places
	n      int
}

type keyedPlace[V any] struct {
	key   uint32
	taken bool
	value V
}

// home is where the search for a key begins: consecutive numbers, which NetIDs
// are, lie spread out (Fibonacci hashing).
func (t *keyed[V]) home(key uint32) uint32 { return key * 0x9e3779b1 >> (t.shift & 31) }

// find is where the value of a key is, or nil. It is good until the next put or
// drop.
func (t *keyed[V]) find(key uint32) *V {
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

// put is where the value of a key is, or will be: zero when it is new.
func (t *keyed[V]) put(key uint32) *V {
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

func (t *keyed[V]) grow() {
	old := t.places
	size := max(16, 2*len(old))
	t.places = make([]keyedPlace[V], size)
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

// drop forgets a key. What was put further on because its place was taken moves
// up, so that a search may stop at the first free place.
func (t *keyed[V]) drop(key uint32) {
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
	t.places[i] = keyedPlace[V]{}
}

// clear forgets all keys and keeps the room.
func (t *keyed[V]) clear() {
	clear(t.places)
	t.n = 0
}

// set makes t what o is, in memory of its own.
func (t *keyed[V]) set(o *keyed[V]) {
	t.places = append(t.places[:0], o.places...)
	t.n, t.shift = o.n, o.shift
}
