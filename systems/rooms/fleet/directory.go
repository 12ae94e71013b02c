package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Directory connects the processes of a fleet. It stores small records by key and delivers requests between processes.
// [NewMemory] returns one for the processes of a test; package natsdir keeps one in NATS. Any goroutine may call its
// methods, which may block; rooms' goroutines never call them.
//
// Two more guarantees ensure that no room has two owners. Load and Save see every write acknowledged before the call. No
// lease expires while writes fail, and all leases restart when writes work again.
type Directory interface {
	// Load returns the newest record under a key. Errors: [ErrAbsent], rooms.ErrUnavailable.
	Load(ctx context.Context, key string) (Record, error)
	// Save writes a record if revision is the newest revision, or 0 for a new record, and returns the new revision. A
	// record with a lease is removed after that time unless it is saved again; lease 0 keeps it. Errors: [ErrConflict],
	// [ErrRecord], and rooms.ErrUnavailable, after which the record may have been written.
	Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error)
	// Remove removes the record with the given revision. It succeeds if there is no record. Errors: [ErrConflict],
	// rooms.ErrUnavailable.
	Remove(ctx context.Context, key string, revision uint64) error
	// List returns the records whose keys begin with a prefix, by key. Error: rooms.ErrUnavailable.
	List(ctx context.Context, prefix string) ([]Record, error)
	// Watch sends the records under a prefix and then every change, until ctx ends; then it closes the channel. Of several
	// changes of a key it may omit all but the last. Error: rooms.ErrUnavailable.
	Watch(ctx context.Context, prefix string) (<-chan Record, error)

	// Request sends a request of up to [MaxRequestBytes] to the handler at an address and returns its answer. It delivers a
	// request at most once. Errors: [ErrNoHandler] if the request was certainly not delivered, otherwise
	// rooms.ErrUnavailable.
	Request(ctx context.Context, address string, request []byte) (answer []byte, err error)
	// Handle answers the requests to an address, several at a time, until stop is called. Error: rooms.ErrUnavailable.
	Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error)
}

// Record is an entry of a directory.
type Record struct {
	Key   string
	Value []byte // must not be changed
	// Revision rises with each change of the record.
	Revision uint64
	// Gone tells a watcher that the record was removed or its lease has expired.
	Gone bool
}

// Errors of directories.
var (
	// ErrRecord: the key is invalid or the value too large.
	ErrRecord = errors.New("fleet: the key or the value of a record is not allowed")
	// ErrAbsent: the record does not exist.
	ErrAbsent = errors.New("fleet: no such record in the directory")
	// ErrConflict: another process has changed or removed the record.
	ErrConflict = errors.New("fleet: another process has changed the record")
	// ErrNoHandler: no handler at this address. It wraps rooms.ErrUnavailable.
	ErrNoHandler = fmt.Errorf("fleet: the process does not take requests: %w", rooms.ErrUnavailable)
)

const (
	// MaxKeyBytes is the longest key.
	MaxKeyBytes = 128
	// MaxValueBytes is the largest value.
	MaxValueBytes = 64 << 10
	// MaxRequestBytes is the largest request, and the largest answer.
	MaxRequestBytes = 512 << 10
)

// CheckRecord returns an error that wraps [ErrRecord] if a record is invalid. A key is a sequence of words of letters,
// digits, - and _, separated by dots.
func CheckRecord(key string, value []byte) error {
	if len(key) > MaxKeyBytes {
		return fmt.Errorf("%w: a key of %d bytes, at most %d", ErrRecord, len(key), MaxKeyBytes)
	}
	for word := range strings.SplitSeq(key, ".") {
		if word == "" || strings.ContainsFunc(word, notInKey) {
			return fmt.Errorf("%w: key %q: write words of letters, digits, - and _ with dots between them", ErrRecord, key)
		}
	}
	if len(value) > MaxValueBytes {
		return fmt.Errorf("%w: %s has a value of %d bytes, at most %d", ErrRecord, key, len(value), MaxValueBytes)
	}
	return nil
}

// notInKey reports whether a character is invalid in a key.
func notInKey(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// owner is a process under one claim, as named in the records of rooms.
type owner struct {
	Process string `json:"process"`
	Claim   uint64 `json:"process_epoch"`
}

// claimRecord is the part of a [ProcessEntry] or of another claimed record that [claim] reads.
type claimRecord struct {
	Process string `json:"process"`
	Epoch   uint64 `json:"epoch"`
}

// find decodes a record into entry and returns its revision, or 0 without a record. An invalid value leaves entry
// unchanged.
func find(ctx context.Context, d Directory, key string, entry any) (uint64, error) {
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

// exists reports whether the process holds this claim.
func (o owner) exists(ctx context.Context, d Directory) (bool, error) {
	var e claimRecord
	revision, err := find(ctx, d, ProcessKey(o.Process), &e)
	return revision != 0 && e.Process == o.Process && e.Epoch == o.Claim, err
}
