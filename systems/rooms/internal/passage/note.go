package passage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// State is where a passage is, as its note says.
//
//	open     the room of before has what is carried; the next one may let the player in
//	let      the next room has it, and lets the player in
//	entered  the same, for good: the player is in
//	back     the next room gives it back, and lets nobody in with it
//	taken    the room of before has it again, for good
//
// The next room goes from open to let, from let to entered, and from either of open and let to back; the room of before goes from open
// or back to taken. No other way leads anywhere, so nothing is in two rooms.
type State string

// The states.
const (
	Open    State = "open"
	Let     State = "let"
	Entered State = "entered"
	Back    State = "back"
	Taken   State = "taken"
	None    State = "" // there is no note
)

const tries = 8

// errContest is that others changed a note again and again.
var errContest = fmt.Errorf("rooms: a passage that is contested: %w", ledger.ErrUnavailable)

// Prefix is what keys of notes begin with.
const Prefix = "travel."

// Note is the record of a passage.
type Note struct {
	Directory ledger.Directory
	Key       string
	Lease     time.Duration
}

// Begin writes that a passage is open.
func (n Note) Begin(ctx context.Context) error {
	_, err := n.Directory.Save(ctx, n.Key, []byte(Open), 0, n.Lease)
	return err
}

// Read is the state.
func (n Note) Read(ctx context.Context) (State, error) {
	r, err := n.Directory.Load(ctx, n.Key)
	if errors.Is(err, ledger.ErrAbsent) {
		return None, nil
	}
	return State(r.Value), err
}

// Move goes to a state where the passage is in one of those that lead to it, or is there already, and returns where it is
// then. Who has had an error moves again, and learns whether it was done.
func (n Note) Move(ctx context.Context, to State, from ...State) (State, error) {
	for range tries {
		r, err := n.Directory.Load(ctx, n.Key)
		if errors.Is(err, ledger.ErrAbsent) {
			return None, nil
		}
		if err != nil {
			return None, err
		}
		is := State(r.Value)
		leads := false
		for _, s := range from {
			leads = leads || s == is
		}
		if !leads {
			return is, nil
		}
		_, err = n.Directory.Save(ctx, n.Key, []byte(to), r.Revision, n.Lease)
		if err == nil {
			return to, nil
		}
		if !errors.Is(err, ledger.ErrConflict) {
			return None, err
		}
	}
	return None, errContest
}

// Forget removes a note that has come to an end.
func (n Note) Forget(ctx context.Context) {
	if r, err := n.Directory.Load(ctx, n.Key); err == nil {
		_ = n.Directory.Remove(ctx, n.Key, r.Revision) // its lease ends it, too
	}
}

// local reports whether a note is in the memory of this process, where nothing waits.
func (n Note) local() bool {
	_, memory := n.Directory.(*ledger.Memory)
	return memory && strings.HasPrefix(n.Key, Prefix+here)
}

// here is in the keys of notes that are in the memory of a process.
const here = "here-"
