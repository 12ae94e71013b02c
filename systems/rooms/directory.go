package rooms

import (
	"context"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// Directory is where the processes of a fleet find each other, rooms and players: small records by key, written by
// compare-and-set. [NewMemory] is one for one process. Its methods may be called from any goroutine, and may wait; the
// server calls them on none of a room's.
//
// Two things are promised besides, on which it rests that no room has two owners: Load and Save know of every write that
// was acknowledged before they were called; and no lease runs out while nobody can write, but begins again when they can.
type Directory interface {
	// Load is the newest record under a key: [ErrAbsent], [ErrUnavailable].
	Load(ctx context.Context, key string) (Record, error)
	// Save writes a record where the revision is still that of the newest, 0 where there is to be none, and returns its
	// own. With a lease it is gone after that time, unless it is saved again; without (0) it stays. [ErrConflict],
	// [ErrUnavailable], after which it may have been written all the same, [ErrRecord].
	Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error)
	// Remove takes the record of that revision away: [ErrConflict], [ErrUnavailable]. What is not there is removed.
	Remove(ctx context.Context, key string, revision uint64) error
	// List are the records whose keys begin with a prefix, by key: [ErrUnavailable].
	List(ctx context.Context, prefix string) ([]Record, error)
	// Watch tells what there is under a prefix, and from then on every change, until ctx ends: then the channel is
	// closed. Of several changes of a key the last is certain to be told. [ErrUnavailable].
	Watch(ctx context.Context, prefix string) (<-chan Record, error)
}

// Record is an entry of a directory: Key, Value, which must not be changed, and Revision, which goes up with each change.
// Gone says, to who watches, that the record was removed, or its lease has run out.
type Record = ledger.Record

// Memory is a [Directory] in memory: of one process, or of several servers in one test.
type Memory = ledger.Memory

var _ Directory = (*Memory)(nil)

// NewMemory returns an empty directory, whose leases go by now; nil means time.Now. Leases run out when somebody calls.
func NewMemory(now func() time.Time) *Memory { return ledger.NewMemory(now) }

const (
	// MaxKeyBytes is how long a key of a directory may be.
	MaxKeyBytes = ledger.MaxKeyBytes
	// MaxValueBytes is how long a value may be.
	MaxValueBytes = ledger.MaxValueBytes
)

// CheckRecord returns an error that wraps [ErrRecord] where a directory takes no such record: keys are words of letters,
// digits, - and _ with dots between them.
func CheckRecord(key string, value []byte) error { return ledger.CheckRecord(key, value) }

// Errors of directories.
var (
	// ErrRecord: no directory takes such a key, or so large a value.
	ErrRecord = ledger.ErrRecord
	// ErrAbsent: there is no such record.
	ErrAbsent = ledger.ErrAbsent
	// ErrConflict: somebody else has written, or removed, the record.
	ErrConflict = ledger.ErrConflict
	// ErrUnavailable: the directory takes no writes, or does not answer. Later it may.
	ErrUnavailable = ledger.ErrUnavailable
)
