package rooms

import (
	"context"
	"fmt"
	"slices"
)

// TransferState is the state of a transfer in its record.
//
//	open     the source owns the components; the destination may admit the player
//	let      the destination owns them and admits the player
//	entered  the destination owns them for good: the player has entered
//	back     the destination returns them and no longer admits the player with them
//	taken    the source owns them again, for good
//
// The destination moves from open to let, from let to entered, and from open or let to back. The source moves from open or
// back to taken. No other move is possible, so both rooms never own the components.
type TransferState string

// The states of a transfer.
const (
	transferOpen    TransferState = "open"
	transferLet     TransferState = "let"
	transferEntered TransferState = "entered"
	transferBack    TransferState = "back"
	transferTaken   TransferState = "taken"
	transferNone    TransferState = "" // there is no record
)

// TransferStore keeps a record for each transfer of a player between two rooms. Both rooms change it by compare-and-set. Its
// methods may be called from any goroutine, and may wait. Their errors wrap [ErrUnavailable].
type TransferStore interface {
	// Load returns the state of a transfer, and the revision of its record. The revision is 0 if there is no record.
	Load(ctx context.Context, transfer uint64) (state TransferState, revision uint64, err error)
	// Save writes a record over that revision, 0 for a new record. It reports false if the record has another revision. After
	// an error the record may have been written.
	Save(ctx context.Context, transfer uint64, state TransferState, revision uint64) (saved bool, err error)
	// Remove removes the record if it has that revision.
	Remove(ctx context.Context, transfer, revision uint64) error
}

// transferTries is the number of compare-and-set attempts of one move.
const transferTries = 8

// errTransferContested reports that other writers kept changing a record.
var errTransferContested = fmt.Errorf("rooms: other writers keep changing the record of a transfer: %w", ErrUnavailable)

// transferRecord is the record of one transfer.
type transferRecord struct {
	store    TransferStore
	transfer uint64
	local    bool // the store is in this process, so calls do not wait
}

// open writes that a transfer is open.
func (n transferRecord) open(ctx context.Context) error {
	saved, err := n.store.Save(ctx, n.transfer, transferOpen, 0)
	if err == nil && !saved {
		err = errTransferContested
	}
	return err
}

// read returns the state.
func (n transferRecord) read(ctx context.Context) (TransferState, error) {
	state, _, err := n.store.Load(ctx, n.transfer)
	return state, err
}

// move changes the state from one of the given states to another and returns the resulting state. In any other state it
// changes nothing. After an error, call it again to learn whether the first attempt was written.
func (n transferRecord) move(ctx context.Context, to TransferState, from ...TransferState) (TransferState, error) {
	for range transferTries {
		is, revision, err := n.store.Load(ctx, n.transfer)
		if err != nil {
			return transferNone, err
		}
		if revision == 0 || !slices.Contains(from, is) {
			return is, nil
		}
		switch saved, err := n.store.Save(ctx, n.transfer, to, revision); {
		case err != nil:
			return transferNone, err
		case saved:
			return to, nil
		}
	}
	return transferNone, errTransferContested
}

// remove removes the record of an ended transfer. If this fails, the record's lease expires.
func (n transferRecord) remove(ctx context.Context) {
	if _, revision, err := n.store.Load(ctx, n.transfer); err == nil && revision != 0 {
		_ = n.store.Remove(ctx, n.transfer, revision)
	}
}
