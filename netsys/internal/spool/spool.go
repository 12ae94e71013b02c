package spool

import "slices"

// Spool keeps datagrams in the order in which they came, each with what its owner wants to know of it. Its memory is
// that of the most it ever held. The zero value is empty; it is for one goroutine at a time.
type Spool[T any] struct {
	entries []Entry[T]
	bytes   []byte
}

// Entry is one datagram.
type Entry[T any] struct {
	About    T
	from, to int
}

// Len is how many there are.
func (s *Spool[T]) Len() int { return len(s.entries) }

// Size is how many bytes they have together.
func (s *Spool[T]) Size() int { return len(s.bytes) }

// At is the i-th entry, valid until the next one is added.
func (s *Spool[T]) At(i int) *Entry[T] { return &s.entries[i] }

// Bytes is the datagram of an entry, valid until the next one is added.
func (s *Spool[T]) Bytes(e *Entry[T]) []byte { return s.bytes[e.from:e.to:e.to] }

// Cut keeps only the first n bytes of an entry.
func (s *Spool[T]) Cut(e *Entry[T], n int) { e.to = e.from + n }

// Room is where the next datagram may be written, at least n bytes: [Spool.Add] then copies nothing.
func (s *Spool[T]) Room(n int) []byte {
	s.bytes = slices.Grow(s.bytes, n)
	return s.bytes[len(s.bytes):cap(s.bytes)]
}

// Add adds a datagram, of which it makes a copy unless that lies at the beginning of the Room.
func (s *Spool[T]) Add(about T, b []byte) {
	at := len(s.bytes)
	if room := s.bytes[at:cap(s.bytes)]; len(b) > 0 && len(room) >= len(b) && &room[0] == &b[0] {
		s.bytes = s.bytes[:at+len(b)]
	} else {
		s.bytes = append(s.bytes, b...)
	}
	s.entries = append(s.entries, Entry[T]{about, at, len(s.bytes)})
}

// Clear forgets all.
func (s *Spool[T]) Clear() {
	clear(s.entries)
	s.entries, s.bytes = s.entries[:0], s.bytes[:0]
}
