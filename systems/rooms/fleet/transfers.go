package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// transfers stores the records of travels between processes in the directory.
type transfers struct {
	directory Directory
	lease     time.Duration
}

// transferLease is the lease of a travel's record beyond the promise of the seat, from its latest change.
const transferLease = 5 * time.Minute

var _ rooms.TransferStore = transfers{}

func transferKey(transfer uint64) string { return fmt.Sprintf("%s%x", transferPrefix, transfer) }

// Load implements rooms.TransferStore.
func (t transfers) Load(ctx context.Context, transfer uint64) (rooms.TransferState, uint64, error) {
	r, err := t.directory.Load(ctx, transferKey(transfer))
	if errors.Is(err, ErrAbsent) {
		return "", 0, nil
	}
	return rooms.TransferState(r.Value), r.Revision, err
}

// Save implements rooms.TransferStore.
func (t transfers) Save(ctx context.Context, transfer uint64, state rooms.TransferState, revision uint64) (bool, error) {
	_, err := t.directory.Save(ctx, transferKey(transfer), []byte(state), revision, t.lease)
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// Remove implements rooms.TransferStore.
func (t transfers) Remove(ctx context.Context, transfer, revision uint64) error {
	return t.directory.Remove(ctx, transferKey(transfer), revision)
}
