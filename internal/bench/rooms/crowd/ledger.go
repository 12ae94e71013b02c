package crowd

import (
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Ledger is who was given which seat, as they saw it. It may be written from any goroutine.
type Ledger struct {
	mu  sync.Mutex
	all []*Hold
}

// Hold is a seat that somebody was given. From From on until Until it is theirs, for certain: from the answer until the
// promise ends; for who got in, until they left or heard the server for the last time.
type Hold struct {
	Given
	From, Until time.Time
	In          bool // they got in
}

// Give notes a seat that was given.
func (l *Ledger) Give(g Given, at time.Time) *Hold {
	h := &Hold{Given: g, From: at, Until: g.Expires}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, h)
	return h
}

// Count is how many were given a seat that was somebody else's at that time, and how many were given one in a room whose
// seats were all somebody else's.
func (l *Ledger) Count(capacity int) (doubled, over int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortStableFunc(l.all, func(a, b *Hold) int { return a.From.Compare(b.From) })
	type place struct {
		at   string
		room rooms.ID
	}
	in := make(map[place][]*Hold) // who has a seat, by room
	for _, h := range l.all {
		p := place{h.Seat.At.String(), h.Seat.Room}
		there := slices.DeleteFunc(in[p], func(o *Hold) bool { return !o.Until.After(h.From) || o.Player == h.Player })
		if slices.ContainsFunc(there, func(o *Hold) bool { return o.Seat == h.Seat }) {
			doubled++
		}
		if len(there) >= capacity {
			over++
		}
		in[p] = append(there, h)
	}
	return doubled, over
}
