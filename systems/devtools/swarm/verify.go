package swarm

import "sync"

// witnesses hold what thin clients were told against each other: whom one send told of an entity, they were told the same, or one
// of them has decoded it wrongly.
type witnesses struct {
	mu    sync.Mutex
	sends [witnessSends]witnessed
}

// witnessSends is how many sends are remembered: others hear of one when it is no older.
const witnessSends = 32

// witnessed is a send, and hashes of what it told, by entity.
type witnessed struct {
	send uint32
	sums map[uint32]uint64
}

// of is what is remembered of a send, nil where later ones took its place.
func (w *witnesses) of(send uint32) *witnessed {
	x := &w.sends[send%witnessSends]
	switch {
	case x.sums == nil:
		x.sums = make(map[uint32]uint64)
	case x.send > send:
		return nil
	case x.send < send:
		clear(x.sums)
	}
	x.send = send
	return x
}

// saw takes in what a client was told, and returns how many entities somebody else was told of, and how many of these differently.
func (w *witnesses) saw(told *told) (compared, different uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := w.of(told.send)
	if x == nil {
		return 0, 0
	}
	for i, id := range told.ids {
		sum, known := x.sums[id]
		switch {
		case !known:
			x.sums[id] = told.sums[i]
			continue
		case sum != told.sums[i]:
			different++
		}
		compared++
	}
	return compared, different
}

// told is what one send told a client.
type told struct {
	send uint32
	ids  []uint32
	sums []uint64
}

// add is for systems.Told.
func (t *told) add(id uint32, sum uint64) {
	t.ids, t.sums = append(t.ids, id), append(t.sums, sum)
}
