package rooms

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// transferState is the state of a transfer, as its record says it.
//
//	open     the room that the player leaves has what it carries; the other room may let the player in
//	let      the other room has it, and lets the player in
//	entered  the same, for good: the player is in
//	back     the other room gives it back, and lets nobody in with it
//	taken    the room that the player leaves has it again, for good
//
// The other room moves from open to let, from let to entered, and from open or let to back. The room that the player
// leaves moves from open or back to taken. No other move is possible, so both rooms never have the same thing.
type transferState string

// The states of a transfer.
const (
	transferOpen    transferState = "open"
	transferLet     transferState = "let"
	transferEntered transferState = "entered"
	transferBack    transferState = "back"
	transferTaken   transferState = "taken"
	transferNone    transferState = "" // there is no record
)

// transferTries is how often a move is compared anew before it fails.
const transferTries = 8

// errTransferContested reports that others changed a record again and again.
var errTransferContested = fmt.Errorf("rooms: a passage that is contested: %w", ledger.ErrUnavailable)

// transferPrefix begins the keys of records.
const transferPrefix = "travel."

// transferRecord is the record of a transfer in a directory, which both rooms can read. They change it by
// compare-and-set.
type transferRecord struct {
	directory ledger.Directory
	key       string
	lease     time.Duration
}

// open writes that a transfer is open.
func (n transferRecord) open(ctx context.Context) error {
	_, err := n.directory.Save(ctx, n.key, []byte(transferOpen), 0, n.lease)
	return err
}

// read returns the state.
func (n transferRecord) read(ctx context.Context) (transferState, error) {
	r, err := n.directory.Load(ctx, n.key)
	if errors.Is(err, ledger.ErrAbsent) {
		return transferNone, nil
	}
	return transferState(r.Value), err
}

// move moves a transfer from one of some states to another one, and returns its state after that. It changes nothing
// where the transfer is in none of them. After an error the caller moves again, and learns whether the first move was
// written.
func (n transferRecord) move(ctx context.Context, to transferState, from ...transferState) (transferState, error) {
	for range transferTries {
		r, err := n.directory.Load(ctx, n.key)
		if errors.Is(err, ledger.ErrAbsent) {
			return transferNone, nil
		}
		if err != nil {
			return transferNone, err
		}
		is := transferState(r.Value)
		leads := false
		for _, s := range from {
			leads = leads || s == is
		}
		if !leads {
			return is, nil
		}
		_, err = n.directory.Save(ctx, n.key, []byte(to), r.Revision, n.lease)
		if err == nil {
			return to, nil
		}
		if !errors.Is(err, ledger.ErrConflict) {
			return transferNone, err
		}
	}
	return transferNone, errTransferContested
}

// remove removes the record of a transfer that has ended.
func (n transferRecord) remove(ctx context.Context) {
	if r, err := n.directory.Load(ctx, n.key); err == nil {
		_ = n.directory.Remove(ctx, n.key, r.Revision) // its lease ends it, too
	}
}

// isLocal reports whether the record is in the memory of this process, so that nothing waits for it.
func (n transferRecord) isLocal() bool {
	_, memory := n.directory.(*ledger.Memory)
	return memory && strings.HasPrefix(n.key, transferPrefix+localTransfer)
}

// localTransfer follows transferPrefix in the keys of records in memory.
const localTransfer = "here-"
