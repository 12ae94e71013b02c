package swarm

import "sync"

// witnesses compare the entities decoded by different thin clients. If two clients received the same entity in the same
// send tick, their decoded states must be equal.
type witnesses struct {
	mu    sync.Mutex
	sends [witnessSends]witnessed
}

// witnessSends is the number of send ticks for which sums are stored; clients receive a snapshot within this time.
const witnessSends = 32

// witnessed holds the hashes of one send tick, by entity.
type witnessed struct {
	send uint32
	sums map[uint32]uint64
}

// sendSums returns the hashes of a send tick, or nil if later send ticks replaced them.
func (w *witnesses) sendSums(send uint32) *witnessed {
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

// compare compares a client's decoded entities with those of other clients and stores them. It returns the number of compared
// and of different entities.
func (w *witnesses) compare(told *told) (compared, different uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := w.sendSums(told.send)
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

// told holds the entities that a client decoded from one send tick.
type told struct {
	send uint32
	ids  []uint32
	sums []uint64
}

// add is a callback of systems.NewestEntities.
func (t *told) add(id uint32, sum uint64) {
	t.ids, t.sums = append(t.ids, id), append(t.sums, sum)
}
