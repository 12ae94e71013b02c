package crowd

import (
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Ledger records which player was assigned which seat, from the players' view. Any goroutine may write to it.
type Ledger struct {
	mu  sync.Mutex
	all []*Hold
}

// Hold is an assigned seat. It certainly belongs to the player between From and Until: from the answer to the end of the
// promise or, for a player who connected, until the player left or last received from the server.
type Hold struct {
	Given
	From, Until time.Time
	In          bool // the player connected
}

// Give records an assigned seat.
func (l *Ledger) Give(g Given, at time.Time) *Hold {
	h := &Hold{Given: g, From: at, Until: g.Expires}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, h)
	return h
}

// Count returns the number of seats assigned while another player had them, and the number of seats assigned in a full
// room.
func (l *Ledger) Count(capacity int) (doubled, over int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortStableFunc(l.all, func(a, b *Hold) int { return a.From.Compare(b.From) })
	type place struct {
		at   string
		room rooms.ID
	}
	in := make(map[place][]*Hold) // holders by room
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
