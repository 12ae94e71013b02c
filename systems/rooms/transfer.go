package rooms

import (
	"context"
	"sync"
	"sync/atomic"
)

// transferService decides, for each player on the way from one room to another, which of the two rooms has what the
// player carries: at any time one of them. It knows no sessions, no worlds and no game. Any goroutine may call its
// methods, which return without waiting.
type transferService struct {
	tasks *backgroundTasks
	local TransferStore // of transfers within the process
}

// transferRecord returns the record of a transfer by its number. local reports that both rooms are in this process.
func (s *Server) transferRecord(transfer uint64, local bool) transferRecord {
	if local || s.fleet == nil {
		return transferRecord{s.travel.local, transfer, true}
	}
	return transferRecord{s.fleet.Transfers(), transfer, false}
}

// transferMemory is a TransferStore of one process. Both rooms of a transfer are in it, so every record is removed in the
// end.
type transferMemory struct {
	mu      sync.Mutex
	records map[uint64]transferMemoryRecord
	changes uint64
}

type transferMemoryRecord struct {
	state    TransferState
	revision uint64
}

func newTransferMemory() *transferMemory {
	return &transferMemory{records: make(map[uint64]transferMemoryRecord)}
}

// Load implements [TransferStore].
func (m *transferMemory) Load(_ context.Context, transfer uint64) (TransferState, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[transfer]
	return r.state, r.revision, nil
}

// Save implements [TransferStore].
func (m *transferMemory) Save(_ context.Context, transfer uint64, state TransferState, revision uint64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[transfer].revision != revision {
		return false, nil
	}
	m.changes++
	m.records[transfer] = transferMemoryRecord{state, m.changes}
	return true, nil
}

// Remove implements [TransferStore].
func (m *transferMemory) Remove(_ context.Context, transfer, revision uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[transfer].revision == revision {
		delete(m.records, transfer)
	}
	return nil
}

// run calls f: immediately if the record is in memory, otherwise in the background.
func (d *transferService) run(n transferRecord, f func(ctx context.Context)) {
	if n.local {
		f(context.Background())
		return
	}
	d.tasks.add(f)
}

// transferClaim is a room's claim to what an arriving player carries.
type transferClaim struct {
	record transferRecord
	state  atomic.Pointer[TransferState] // nil: not decided
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
func (d *transferService) moveUntilDone(n transferRecord, to TransferState, from ...TransferState) {
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
