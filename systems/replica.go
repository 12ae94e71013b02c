package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// record is what one send said of one entity.
type record struct {
	send  uint32 // 0: none
	tick  uint32
	mask  uint64
	words []int32
}

// replica is all that a client knows of one entity of the server: the states
// that sends confirmed, which serve as baselines for later ones and as the
// poses that drawing goes through.
type replica struct {
	id      uint32
	entity  ecs.Entity // in the client's world; zero until confirmed state came
	ring    []record   // by send; a power of two long
	newest  uint32     // newest send that told of it
	applied uint32     // send whose state is in the world
	goneAt  uint32     // tick at which it was destroyed; 0: it lives
	drawn   ecs.Entity // in the view
}

// minRecords and maxRecords bound the ring of a replica. The ring grows when a
// record that may still be a baseline would be lost.
const (
	minRecords = 16
	maxRecords = 512
)

// memory bounds what a server can make a client keep.
type memory struct {
	used int // bytes of records
}

// maxReplicas bounds the entities that a client knows of, those included that
// were destroyed lately. maxMemory bounds its records in bytes; above it rings
// grow no more, and baselines that are lost by that are renewed.
const (
	maxReplicas = 1 << 16
	maxMemory   = 256 << 20
)

const recordSize = int(unsafe.Sizeof(record{}))

// at returns what a send said, or nil.
func (r *replica) at(send uint32) *record {
	if len(r.ring) == 0 || send == 0 {
		return nil
	}
	rec := &r.ring[send&uint32(len(r.ring)-1)]
	if rec.send != send {
		return nil
	}
	return rec
}

// put opens the record of a send; floor is the oldest send still needed.
func (r *replica) put(m *memory, send, tick, floor uint32, mask uint64, words []int32) {
	if len(r.ring) == 0 {
		r.ring = make([]record, minRecords)
		m.used += minRecords * recordSize
	}
	rec := &r.ring[send&uint32(len(r.ring)-1)]
	for rec.send != send && rec.send >= floor && rec.send != 0 && len(r.ring) < maxRecords && m.used < maxMemory {
		m.used += len(r.ring) * recordSize
		grown := make([]record, 2*len(r.ring))
		for _, old := range r.ring {
			if old.send != 0 {
				grown[old.send&uint32(len(grown)-1)] = old
			}
		}
		r.ring = grown
		rec = &r.ring[send&uint32(len(r.ring)-1)]
	}
	if rec.send > send {
		return // later news stands in its place
	}
	rec.send, rec.tick, rec.mask = send, tick, mask
	m.used -= 4 * cap(rec.words)
	rec.words = append(rec.words[:0], words...)
	m.used += 4 * cap(rec.words)
	r.newest = max(r.newest, send)
}

// release gives back what the records of a replica took.
func (r *replica) release(m *memory) {
	m.used -= len(r.ring) * recordSize
	for i := range r.ring {
		m.used -= 4 * cap(r.ring[i].words)
	}
	r.ring = nil
}

// around returns the newest record at or before a tick and the oldest after it;
// either may be nil.
func (r *replica) around(tick float64) (from, to *record) {
	for i := range r.ring {
		rec := &r.ring[i]
		switch {
		case rec.send == 0:
		case float64(rec.tick) <= tick:
			if from == nil || rec.tick > from.tick {
				from = rec
			}
		case to == nil || rec.tick < to.tick:
			to = rec
		}
	}
	return from, to
}
