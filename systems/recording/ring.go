package recording

import (
	"bytes"
	"slices"
	"time"
)

// Ring keeps the last seconds of a recording in memory, such as for a replay of a player's end. Fill it like a [Writer].
type Ring struct {
	*Writer
	kept ringStore
}

// NewRing returns a ring that keeps at least the last length of a recording. A segment starts every half of that, unless c.Interval
// is set.
func NewRing(length time.Duration, c Config) *Ring {
	if c.Interval <= 0 {
		c.Interval = length / 2
	}
	r := &Ring{kept: ringStore{length: length}}
	r.Writer = newWriter(&r.kept, c)
	return r
}

// Recording returns what is kept so far. The ring goes on.
func (r *Ring) Recording() (*Reader, error) {
	if r.busy != nil {
		r.written(<-r.busy)
	}
	var b []byte
	for _, x := range r.kept.chunks {
		b = append(b, x.bytes...)
	}
	if r.open {
		var last oneChunk
		w := Writer{to: &last, number: r.number}
		w.chunk(chunkSegment, r.start, r.buffer, true)
		b = append(b, last...)
	}
	return Open(bytes.NewReader(b), int64(len(b)))
}

// ringStore keeps the header and the newest segments.
type ringStore struct {
	length time.Duration
	chunks []ringChunk
}

type ringChunk struct {
	start time.Duration
	bytes []byte
}

func (s *ringStore) add(h head, chunk []byte) error {
	s.chunks = append(s.chunks, ringChunk{h.start, chunk})
	for len(s.chunks) > 2 && h.start-s.chunks[2].start >= s.length {
		s.chunks = slices.Delete(s.chunks, 1, 2) // the first is the header
	}
	return nil
}

func (s *ringStore) end(time.Duration) error { return nil }

// oneChunk stores a single chunk.
type oneChunk []byte

func (s *oneChunk) add(_ head, chunk []byte) error {
	*s = chunk
	return nil
}

func (s *oneChunk) end(time.Duration) error { return nil }
