package rooms

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// transferService decides, for each player on the way from one room to another, which of the two rooms has what the
// player carries: at any time one of them. It knows no sessions, no worlds and no game. Any goroutine may call its
// methods, which return without waiting.
type transferService struct {
	tasks *backgroundTasks
	// memory has the records of transfers within the process, directory all others.
	memory, directory ledger.Directory
	// lease is how long a record stays that nobody changes.
	lease time.Duration
}

// record returns the record of a transfer by its number. within reports that both rooms are in this process.
func (d *transferService) record(passage uint64, within bool) transferRecord {
	if within {
		return transferRecord{d.memory, fmt.Sprintf("%s%s%x", transferPrefix, localTransfer, passage), d.lease}
	}
	return transferRecord{d.directory, fmt.Sprintf("%s%x", transferPrefix, passage), d.lease}
}

// run calls f: immediately if the record is in memory, otherwise in the background.
func (d *transferService) run(n transferRecord, f func(ctx context.Context)) {
	if n.isLocal() {
		f(context.Background())
		return
	}
	d.tasks.add(f)
}

// transferClaim is a room's claim to what an arriving player carries.
type transferClaim struct {
	record transferRecord
	state  atomic.Pointer[transferState] // nil: not decided
}

// claim claims what a player carries whose token was presented.
func (d *transferService) claim(n transferRecord) *transferClaim {
	c := &transferClaim{record: n}
	d.run(n, func(ctx context.Context) {
		s, err := n.move(ctx, transferLet, transferOpen)
		if err == nil {
			c.state.Store(&s)
		}
	})
	return c
}

// granted reports whether this room has what the player carries, and whether that is decided.
func (c *transferClaim) granted() (yes, decided bool) {
	s := c.state.Load()
	return s != nil && (*s == transferLet || *s == transferEntered), s != nil
}

// confirm ends the transfer of a player who has entered.
func (d *transferService) confirm(c *transferClaim) {
	d.moveUntilDone(c.record, transferEntered, transferLet)
}

// giveBack returns what a player carries to the room that it left, because the player has not entered.
func (d *transferService) giveBack(n transferRecord) {
	d.moveUntilDone(n, transferBack, transferOpen, transferLet)
}

// moveUntilDone moves a record, and retries until that has succeeded.
func (d *transferService) moveUntilDone(n transferRecord, to transferState, from ...transferState) {
	d.run(n, func(ctx context.Context) {
		if _, err := n.move(ctx, to, from...); err != nil {
			d.tasks.retry(func(context.Context) { d.moveUntilDone(n, to, from...) })
		}
	})
}

// removeWhenDone removes a record as soon as its transfer has ended, unless its lease ends it earlier.
func (d *transferService) removeWhenDone(n transferRecord) {
	d.run(n, func(ctx context.Context) {
		switch s, err := n.read(ctx); {
		case err == nil && s == transferNone:
		case err == nil && (s == transferEntered || s == transferBack || s == transferTaken):
			n.remove(ctx)
		default:
			d.tasks.retry(func(context.Context) { d.removeWhenDone(n) })
		}
	})
}
