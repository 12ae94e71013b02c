package rooms

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// Record is an entry of a directory.
type Record struct {
	Key   string
	Value []byte // must not be changed
	// Revision goes up with each change of the record.
	Revision uint64
	// Gone says, to who watches, that the record was removed, or its lease has run out.
	Gone bool
}

const (
	// MaxKeyBytes is how long a key of a directory may be.
	MaxKeyBytes = 128
	// MaxValueBytes is how long a value may be.
	MaxValueBytes = 64 << 10
)

// CheckRecord returns an error that wraps [ErrRecord] where a directory takes no such record: keys are words of letters,
// digits, - and _ with dots between them.
func CheckRecord(key string, value []byte) error {
	if len(key) > MaxKeyBytes {
		return fmt.Errorf("%w: a key of %d bytes, at most %d", ErrRecord, len(key), MaxKeyBytes)
	}
	for word := range strings.SplitSeq(key, ".") {
		if word == "" || strings.ContainsFunc(word, odd) {
			return fmt.Errorf("%w: key %q: write words of letters, digits, - and _ with dots between them", ErrRecord, key)
		}
	}
	if len(value) > MaxValueBytes {
		return fmt.Errorf("%w: %s has a value of %d bytes, at most %d", ErrRecord, key, len(value), MaxValueBytes)
	}
	return nil
}

// odd are characters that stand in no key.
func odd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// Errors of directories.
var (
	// ErrRecord: no directory takes such a key, or so large a value.
	ErrRecord = errors.New("rooms: no record for a directory")
	// ErrAbsent: there is no such record.
	ErrAbsent = errors.New("rooms: no such record in the directory")
	// ErrConflict: somebody else has written, or removed, the record.
	ErrConflict = errors.New("rooms: somebody else has changed the record")
	// ErrUnavailable: the directory takes no writes, or does not answer. Later it may.
	ErrUnavailable = errors.New("rooms: the directory does not answer, try again later")
)
