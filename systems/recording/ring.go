package recording

import (
	"slices"
	"time"
)

// Ring keeps the last seconds of a recording in memory, such as for a replay of a player's end. Its Writer is filled like any other, and
// need not be closed.
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

// Recording returns a copy of the kept seconds. The ring continues to record.
func (r *Ring) Recording() (*Reader, error) {
	if !r.open && len(r.kept.segments) == 0 {
		return nil, ErrEmpty
	}
	x := &Reader{header: r.header, duration: r.at}
	add := func(start time.Duration, content []byte) {
		x.segments = append(x.segments, Segment{Size: int64(len(content)), Start: start})
		x.kept = append(x.kept, slices.Clone(content))
	}
	for _, c := range r.kept.segments {
		add(c.start, c.bytes)
	}
	if r.open {
		add(r.start, r.buffer)
	}
	return x, x.Begin(0)
}

// ringStore keeps the newest whole segments.
type ringStore struct {
	length   time.Duration
	segments []content
}

func (s *ringStore) add(h head, bytes []byte) (spare []byte) {
	if h.kind != chunkSegment {
		return bytes[:0]
	}
	s.segments = append(s.segments, content{h, bytes})
	for len(s.segments) > 1 && h.start-s.segments[1].start >= s.length {
		spare = s.segments[0].bytes[:0]
		s.segments = slices.Delete(s.segments, 0, 1)
	}
	return spare
}

func (s *ringStore) failed() error           { return nil }
func (s *ringStore) end(time.Duration) error { return nil }
