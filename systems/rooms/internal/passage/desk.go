package passage

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// Desk is a process to those who come. Its methods may be called from any goroutine, and wait for nothing.
type Desk struct {
	Errands *Errands
	// Memory has the notes of passages within the process, Directory all others.
	Memory, Directory ledger.Directory
	// Lease is how long a note stays that nobody changes.
	Lease time.Duration
}

// Note is the note of a number.
func (d *Desk) Note(passage uint64, within bool) Note {
	if within {
		return Note{d.Memory, fmt.Sprintf("%s%s%x", Prefix, here, passage), d.Lease}
	}
	return Note{d.Directory, fmt.Sprintf("%s%x", Prefix, passage), d.Lease}
}

// do does f at once where that waits for nothing.
func (d *Desk) do(n Note, f func(ctx context.Context)) {
	if n.local() {
		f(context.Background())
		return
	}
	d.Errands.Do(f)
}

// Claim is that a room wants to let in somebody who carries something.
type Claim struct {
	note  Note
	state atomic.Pointer[State] // nil: not decided
}

// Knock claims what somebody carries whose token was shown.
func (d *Desk) Knock(n Note) *Claim {
	c := &Claim{note: n}
	d.do(n, func(ctx context.Context) {
		s, err := n.Move(ctx, Let, Open)
		if err == nil {
			c.state.Store(&s)
		}
	})
	return c
}

// Granted reports whether it is this room's, and whether that is decided.
func (c *Claim) Granted() (yes, decided bool) {
	s := c.state.Load()
	return s != nil && (*s == Let || *s == Entered), s != nil
}

// Enter says that a player is in, for good.
func (d *Desk) Enter(c *Claim) { d.insist(c.note, Entered, Let) }

// Return gives back what nobody has come in with.
func (d *Desk) Return(n Note) { d.insist(n, Back, Open, Let) }

// insist moves a note, again and again until that is done.
func (d *Desk) insist(n Note, to State, from ...State) {
	d.do(n, func(ctx context.Context) {
		if _, err := n.Move(ctx, to, from...); err != nil {
			d.Errands.Again(func(context.Context) { d.insist(n, to, from...) })
		}
	})
}

// clear removes a note once nobody moves it any more, unless its lease ends it before.
func (d *Desk) clear(n Note) {
	d.do(n, func(ctx context.Context) {
		switch s, err := n.Read(ctx); {
		case err == nil && s == None:
		case err == nil && (s == Entered || s == Back || s == Taken):
			n.Forget(ctx)
		default:
			d.Errands.Again(func(context.Context) { d.clear(n) })
		}
	})
}
