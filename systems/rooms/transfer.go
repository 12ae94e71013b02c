package rooms

import (
	"context"
	"sync"
	"sync/atomic"
)

// transferService decides for each travelling player which of the two rooms owns the carried components; at any time
// exactly one does. It does not depend on sessions, worlds or the game. Any goroutine may call its methods, which return
// without waiting.
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

// TransferMemory is a [TransferStore] for the rooms of one process, or of the servers of one test. The zero value is empty.
// Both rooms of a transfer use the same store, so every record is removed in the end. Any goroutine may call its methods.
type TransferMemory struct {
	mu      sync.Mutex
	records map[uint64]transferMemoryRecord
	changes uint64
}

type transferMemoryRecord struct {
	state    TransferState
	revision uint64
}

// Load implements [TransferStore].
func (m *TransferMemory) Load(_ context.Context, transfer uint64) (TransferState, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[transfer]
	return r.state, r.revision, nil
}

// Save implements [TransferStore].
func (m *TransferMemory) Save(_ context.Context, transfer uint64, state TransferState, revision uint64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[transfer].revision != revision {
		return false, nil
	}
	if m.records == nil {
		m.records = make(map[uint64]transferMemoryRecord)
	}
	m.changes++
	m.records[transfer] = transferMemoryRecord{state, m.changes}
	return true, nil
}

// Remove implements [TransferStore].
func (m *TransferMemory) Remove(_ context.Context, transfer, revision uint64) error {
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

// transferClaim is a room's claim to the components of an arriving player.
type transferClaim struct {
	record transferRecord
	state  atomic.Pointer[TransferState] // nil: not decided
}

// claim claims the components of a player who presented a token.
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

// granted reports whether this room owns the components, and whether that is decided.
func (c *transferClaim) granted() (yes, decided bool) {
	s := c.state.Load()
	return s != nil && (*s == transferLet || *s == transferEntered), s != nil
}

// confirm completes the transfer of a player who has entered.
func (d *transferService) confirm(c *transferClaim) {
	d.moveUntilDone(c.record, transferEntered, transferLet)
}

// giveBack returns the components of a player who did not enter to the previous room.
func (d *transferService) giveBack(n transferRecord) {
	d.moveUntilDone(n, transferBack, transferOpen, transferLet)
}

// moveUntilDone moves a record, with retries until it succeeds.
func (d *transferService) moveUntilDone(n transferRecord, to TransferState, from ...TransferState) {
	d.run(n, func(ctx context.Context) {
		if _, err := n.move(ctx, to, from...); err != nil {
			d.tasks.retry(func(context.Context) { d.moveUntilDone(n, to, from...) })
		}
	})
}

// removeWhenDone removes a record when its transfer has ended, unless its lease expires earlier.
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
