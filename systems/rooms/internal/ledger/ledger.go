package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// tries is how often a write is compared anew before it is left for later.
const tries = 8

// ErrLost is why something is not written: the process has no claim to its name.
var ErrLost = fmt.Errorf("rooms: this process cannot say that it is there: %w", ErrUnavailable)

// Ledger is what a process has said in a directory beside its own entry. Its methods may be called from any goroutine, but
// one at a time calls Write and TakeBack.
type Ledger struct {
	directory Directory
	claim     *Claim

	mu   sync.Mutex
	said map[string]said
}

// said is what was written under a key, or may have been.
type said struct {
	by       any    // whose word it is
	revision uint64 // as far as it is known; 0: maybe nothing
}

// Saying is something that a process says under a key.
type Saying interface {
	// Value is what to say, under a claim that is at hand. From here on somebody may hear of it.
	Value(claim uint64) any
	// Stands is told that it is written, under that claim.
	Stands(claim uint64)
	// Swept is told that it was written once, and somebody has removed it.
	Swept()
	// Yields reports whether what is there by now is to stay.
	Yields(there []byte) bool
	// Wrote reports whether it has written what is there by now.
	Wrote(there []byte) bool
}

// New makes a ledger of a process that has said nothing.
func New(d Directory, c *Claim) *Ledger {
	return &Ledger{directory: d, claim: c, said: make(map[string]said)}
}

// Said is what stands in the directory of this process, or may: by key, whose word it is.
func (l *Ledger) Said() map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]any, len(l.said))
	for key, s := range maps.All(l.said) {
		all[key] = s.by
	}
	return all
}

// By is whose word stands under a key, or may; nil: nobody's of this process, or one that has no owner.
func (l *Ledger) By(key string) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said[key].by
}

// Write writes what somebody says under a key, while the claim holds. Where another process has written since, the saying
// yields, or is written over that. The error is ErrLost, or that of the directory.
func (l *Ledger) Write(ctx context.Context, key string, by any, what Saying) error {
	for range tries {
		claim := l.claim.Current()
		if claim == 0 {
			return ErrLost
		}
		at := l.begin(key, by)
		err := l.save(ctx, key, by, what.Value(claim), at)
		if err == nil {
			what.Stands(claim)
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		var there json.RawMessage
		newest, err := Find(ctx, l.directory, key, &there)
		switch {
		case err != nil:
			return err
		case newest == 0 && at != 0:
			what.Swept()
		case newest != 0 && what.Yields(there):
			l.silent(key)
			return nil
		}
		l.stands(key, by, newest)
	}
	return fmt.Errorf("rooms: %s: %w", key, ErrConflict)
}

// TakeOver writes over a revision that another process has written, and no later one. Where it may not have been written,
// TakeBack takes it back all the same. The error is ErrConflict where this process has a word there, too.
func (l *Ledger) TakeOver(ctx context.Context, key string, by any, what Saying, over uint64) error {
	claim := l.claim.Current()
	if claim == 0 {
		return ErrLost
	}
	l.mu.Lock()
	_, is := l.said[key]
	if !is {
		l.said[key] = said{by: by} // what is there is not its own yet
	}
	l.mu.Unlock()
	if is {
		return fmt.Errorf("%w: this process is about to take back what it said before", ErrConflict)
	}
	err := l.save(ctx, key, by, what.Value(claim), over)
	if errors.Is(err, ErrUnavailable) { // it may have been written all the same
		var there json.RawMessage
		if newest, failed := Find(ctx, l.directory, key, &there); failed == nil && newest != 0 && what.Wrote(there) {
			l.stands(key, by, newest)
			err = nil
		}
	}
	if err == nil {
		what.Stands(claim)
	}
	return err
}

// TakeBack removes what somebody has said under a key, as long as it is what they have written.
func (l *Ledger) TakeBack(ctx context.Context, key string, by any, what Saying) error {
	l.mu.Lock()
	at, is := l.said[key]
	l.mu.Unlock()
	if !is || at.by != by {
		return nil
	}
	for range tries {
		err := l.directory.Remove(ctx, key, at.revision)
		if err == nil {
			l.silent(key)
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		var there json.RawMessage
		newest, err := Find(ctx, l.directory, key, &there)
		if err != nil {
			return err
		}
		if newest == 0 || !what.Wrote(there) {
			l.silent(key)
			return nil
		}
		at.revision = newest
	}
	return fmt.Errorf("rooms: %s: %w", key, ErrConflict)
}

// save writes a record over a revision.
func (l *Ledger) save(ctx context.Context, key string, by, entry any, over uint64) error {
	value, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	revision, err := l.directory.Save(ctx, key, value, over, 0)
	if err == nil {
		l.stands(key, by, revision)
	}
	return err
}

// begin notes that something is about to be written, and returns over which revision.
func (l *Ledger) begin(key string, by any) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.said[key]
	if at.by != by {
		at = said{by: by}
	}
	l.said[key] = at
	return at.revision
}

// stands notes the revision under which something stands.
func (l *Ledger) stands(key string, by any, revision uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said[key] = said{by, revision}
}

// silent notes that nothing stands of this process under a key.
func (l *Ledger) silent(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.said, key)
}
