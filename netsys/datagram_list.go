package netsys

import "slices"

// datagramList holds copies of datagrams in the order in which they were added, each with a value of type T. It never releases
// memory. The zero value is empty. Only one goroutine may use it at a time.
type datagramList[T any] struct {
	entries []listedDatagram[T]
	bytes   []byte
}

// listedDatagram is an entry of a datagramList.
type listedDatagram[T any] struct {
	about    T
	from, to int // range in the list's bytes
}

func (l *datagramList[T]) len() int { return len(l.entries) }

// at returns the i-th entry, valid until the next one is added.
func (l *datagramList[T]) at(i int) *listedDatagram[T] { return &l.entries[i] }

// data returns the datagram of an entry, valid until the next one is added.
func (l *datagramList[T]) data(e *listedDatagram[T]) []byte { return l.bytes[e.from:e.to:e.to] }

// truncate keeps only the first n bytes of an entry.
func (l *datagramList[T]) truncate(e *listedDatagram[T], n int) { e.to = e.from + n }

// room returns memory of at least n bytes for the next datagram. If the datagram is written there, add does not copy it.
func (l *datagramList[T]) room(n int) []byte {
	l.bytes = slices.Grow(l.bytes, n)
	return l.bytes[len(l.bytes):cap(l.bytes)]
}

// add adds a datagram. It copies b, unless b is at the start of the memory that room returned.
func (l *datagramList[T]) add(about T, b []byte) {
	at := len(l.bytes)
	if room := l.bytes[at:cap(l.bytes)]; len(b) > 0 && len(room) >= len(b) && &room[0] == &b[0] {
		l.bytes = l.bytes[:at+len(b)]
	} else {
		l.bytes = append(l.bytes, b...)
	}
	l.entries = append(l.entries, listedDatagram[T]{about, at, len(l.bytes)})
}

// clear removes all datagrams.
func (l *datagramList[T]) clear() {
	clear(l.entries)
	l.entries, l.bytes = l.entries[:0], l.bytes[:0]
}
