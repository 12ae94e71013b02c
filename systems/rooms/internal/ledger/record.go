package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Record is an entry of a directory: see package rooms.
type Record struct {
	Key   string
	Value []byte // must not be changed
	// Revision goes up with each change of the record.
	Revision uint64
	// Gone says, to who watches, that the record was removed, or its lease has run out.
	Gone bool
}

// Directory is what is needed here of a rooms.Directory.
type Directory interface {
	// Load is the newest record under a key: ErrAbsent, ErrUnavailable.
	Load(ctx context.Context, key string) (Record, error)
	// Save writes where the revision is still that: ErrConflict, ErrUnavailable.
	Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error)
	// Remove removes what has that revision: ErrConflict, ErrUnavailable.
	Remove(ctx context.Context, key string, revision uint64) error
	// List are the records under a prefix, by key: ErrUnavailable.
	List(ctx context.Context, prefix string) ([]Record, error)
}

// Errors of directories: see package rooms.
var (
	ErrRecord      = errors.New("rooms: no record for a directory")
	ErrAbsent      = errors.New("rooms: no such record in the directory")
	ErrConflict    = errors.New("rooms: somebody else has changed the record")
	ErrUnavailable = errors.New("rooms: the directory does not answer, try again later")
)

// Bounds of records.
const (
	MaxKeyBytes   = 128
	MaxValueBytes = 64 << 10
)

// CheckRecord returns an error that wraps ErrRecord where a directory takes no such record.
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

// Holder is a process under one claim, as what it says names it.
type Holder struct {
	Process string `json:"process"`
	Claim   uint64 `json:"process_epoch"`
}

// process is what is read of the entry of a process.
type process struct {
	Process string `json:"process"`
	Epoch   uint64 `json:"epoch"`
}

// Find reads a record, and returns its revision; 0: there is none. What cannot be read is left as it was.
func Find(ctx context.Context, d Directory, key string, entry any) (uint64, error) {
	r, err := d.Load(ctx, key)
	if errors.Is(err, ErrAbsent) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_ = json.Unmarshal(r.Value, entry)
	return r.Revision, nil
}
