package rooms

import (
	"context"
	"errors"
	"time"
)

// Directory is where the processes of a fleet find each other, rooms and players: small records by key, written by
// compare-and-set. [NewMemory] is one for one process. Its methods may be called from any goroutine, and may wait; the
// server calls them on none of a room's.
type Directory interface {
	// Load is the newest record under a key: [ErrAbsent], [ErrUnavailable].
	Load(ctx context.Context, key string) (Record, error)
	// Save writes a record where the revision is still that of the newest, 0 where there is to be none, and returns its
	// own. With a lease it is gone after that time, unless it is saved again; without (0) it stays. [ErrConflict],
	// [ErrUnavailable].
	Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error)
	// Remove takes the record of that revision away: [ErrConflict], [ErrUnavailable]. What is not there is removed.
	Remove(ctx context.Context, key string, revision uint64) error
	// List are the records whose keys begin with a prefix, by key: [ErrUnavailable].
	List(ctx context.Context, prefix string) ([]Record, error)
	// Watch tells what there is under a prefix, and from then on every change, until ctx ends: then the channel is
	// closed. Of several changes of a key the last is certain to be told. [ErrUnavailable].
	Watch(ctx context.Context, prefix string) (<-chan Record, error)
}

// Record is an entry of a directory.
type Record struct {
	Key   string
	Value []byte // must not be changed
	// Revision goes up with each change of the record.
	Revision uint64
	// Gone says, to who watches, that the record was removed, or its lease has run out.
	Gone bool
}

// Errors of directories.
var (
	// ErrAbsent: there is no such record.
	ErrAbsent = errors.New("rooms: no such record in the directory")
	// ErrConflict: somebody else has written, or removed, the record.
	ErrConflict = errors.New("rooms: somebody else has changed the record")
	// ErrUnavailable: the directory takes no writes, or does not answer. Later it may.
	ErrUnavailable = errors.New("rooms: the directory does not answer, try again later")
)
