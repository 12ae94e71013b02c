package wire

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// MaxEntities limits the entities of the world on a client.
const MaxEntities = MaxGroups * delta.GroupSize

// Set says which entities the body of a block contains: entities of the baseline, in the order of their component masks and then of
// their ids, and new ones among them. The baseline is what the client has received of that send, without the entities in Less.
//
//	set   has news, has runs, has gone, has less, 4 bits 0 | [less] | [runs] | [news] | [gone]
//	less  count uvarint, at least 1 | each: id − the previous one, uvarint
//	runs  count uvarint, at least 1 | lengths uvarint
//	news  count uvarint, at least 1 | each: entities since the previous one << 1 | spawned, uvarint
//	gone  count uvarint, at least 1 | each: (id − the previous one) << 1 | hidden, uvarint
type Set struct {
	// Less are entities that are not part of the baseline, ascending. The baseline is then a state that was sent in pieces: some
	// clients received the entity in a piece, before the server removed the entity from the piece because the
	// client may no longer see it.
	Less []uint32
	// Runs are the lengths of runs of the baseline's entities: included in the block and left out, alternately. What follows
	// the last run continues the alternation. Without runs, all entities are included.
	Runs []uint32
	// News are the new entities.
	News []NewEntity
	// Gone are entities that the client no longer sees and that are not part of the baseline, ascending.
	Gone []GoneEntity
}

// NewEntity is the position of a new entity.
type NewEntity struct {
	After   uint32 // entities of the block since the previous new one, or since the start
	Spawned bool   // it was spawned in sight; otherwise it came into sight
}

// GoneEntity is an entity that the client no longer sees.
type GoneEntity struct {
	ID     uint32
	Hidden bool // it still exists
}

// Flags of a set.
const (
	setNews = 1 << iota
	setRuns
	setGone
	setLess
)

// Reset empties a set. It keeps the memory.
func (s *Set) Reset() {
	*s = Set{Less: s.Less[:0], Runs: s.Runs[:0], News: s.News[:0], Gone: s.Gone[:0]}
}

// Any reports whether a set must be sent: the block does not contain exactly the entities of the baseline.
func (s *Set) Any() bool { return len(s.Less)+len(s.Runs)+len(s.News)+len(s.Gone) > 0 }

// Append encodes a set.
func (s *Set) Append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, 0)
	if len(s.Less) > 0 {
		dst[at] |= setLess
		dst = codec.AppendUvarint(dst, uint64(len(s.Less)))
		last := uint32(0)
		for _, id := range s.Less {
			dst = codec.AppendUvarint(dst, uint64(id-last))
			last = id
		}
	}
	if len(s.Runs) > 0 {
		dst[at] |= setRuns
		dst = codec.AppendUvarint(dst, uint64(len(s.Runs)))
		for _, n := range s.Runs {
			dst = codec.AppendUvarint(dst, uint64(n))
		}
	}
	if len(s.News) > 0 {
		dst[at] |= setNews
		dst = codec.AppendUvarint(dst, uint64(len(s.News)))
		for _, x := range s.News {
			v := uint64(x.After) << 1
			if x.Spawned {
				v |= 1
			}
			dst = codec.AppendUvarint(dst, v)
		}
	}
	if len(s.Gone) > 0 {
		dst[at] |= setGone
		dst = codec.AppendUvarint(dst, uint64(len(s.Gone)))
		last := uint32(0)
		for _, x := range s.Gone {
			v := uint64(x.ID-last) << 1
			if x.Hidden {
				v |= 1
			}
			dst = codec.AppendUvarint(dst, v)
			last = x.ID
		}
	}
	return dst
}

// Read decodes a set from the start of the body of a block whose baseline has a number of entities; negative: there is
// no baseline. It returns the rest of the body. The memory of the set is used again.
func (s *Set) Read(body []byte, base int) (rest []byte, err error) {
	var r codec.ByteReader
	r.Reset(body)
	flags := r.Byte()
	s.Reset()
	ok := flags>>4 == 0 && flags != 0 && (base >= 0 || flags&(setRuns|setLess) == 0)
	count := func(flag byte) uint64 {
		if !ok || flags&flag == 0 {
			return 0
		}
		n := r.Uvarint()
		ok = n > 0 && n <= uint64(r.Len())
		return n
	}
	last := uint64(0)
	for n := count(setLess); ok && n > 0; n-- {
		v := r.Uvarint()
		last += v
		ok = v > 0 && last < 1<<32
		s.Less = append(s.Less, uint32(last))
	}
	left := uint64(max(base, 0))
	for n := count(setRuns); ok && n > 0; n-- {
		v := r.Uvarint()
		ok = v <= left
		left -= min(v, left)
		s.Runs = append(s.Runs, uint32(v))
	}
	total := uint64(0)
	for n := count(setNews); ok && n > 0; n-- {
		v := r.Uvarint()
		total += v>>1 + 1
		ok = total <= MaxEntities
		s.News = append(s.News, NewEntity{uint32(v >> 1), v&1 != 0})
	}
	last = 0
	for n := count(setGone); ok && n > 0; n-- {
		v := r.Uvarint()
		last += v >> 1
		ok = v > 1 && last < 1<<32
		s.Gone = append(s.Gone, GoneEntity{uint32(last), v&1 != 0})
	}
	if !ok || r.Err() != nil {
		return nil, fmt.Errorf("%w: set of %d entities: % x", ErrMessage, base, body[:min(len(body), 8)])
	}
	return r.Next(r.Len()), nil
}
