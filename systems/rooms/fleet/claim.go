package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// fenceTimeout is how long a claim holds, from the start of the newest acknowledged renewal. It is shorter than the
// record's lease, to cover clock differences and the duration of a write: the process stops before others may consider it
// dead.
const fenceTimeout = ProcessLease - 1500*time.Millisecond

// maxTries is the number of compare-and-set attempts of a write before it is postponed.
const maxTries = 8

// epochKey returns the key of an [epochEntry].
func epochKey(process string) string { return "epoch." + process }

// epochEntry counts the claims to a name. It outlives the process.
type epochEntry struct {
	Epoch uint64 `json:"epoch"`
}

// errNamed is the error of a process whose name another process has.
var errNamed = errors.New("fleet: another process has this name, or had it until a moment ago: give each process its own name, or wait until the lease of the other one has expired")

// claim is a process's right to a name, or to a task that only one process does. Each claim to a name has a unique epoch,
// drawn from a record by compare-and-set. A claim holds for less than its record's lease, from the start of the newest
// acknowledged renewal, by this process's clock.
type claim struct {
	directory Directory
	now       func() time.Time
	key       string
	process   string
	unique    bool // the name is random, so no record of its epochs is needed

	mu      sync.Mutex
	epoch   uint64    // of the newest claim; 0: there was none
	first   uint64    // epoch of the first claim
	renewed time.Time // start of the newest renewal; zero: the claim is lost
	taken   bool      // another process had the name at the last renewal

	// used by renew and resign only
	next     uint64 // epoch of the next claim; 0: not drawn
	highest  uint64 // highest drawn epoch
	revision uint64 // of the record
}

// newClaim returns a claim to the record under a key. It has not begun.
func newClaim(d Directory, now func() time.Time, key, name string, unique bool) *claim {
	return &claim{directory: d, now: now, key: key, process: name, unique: unique}
}

// current returns the epoch of the claim, or 0 before its start and after its end.
func (c *claim) current() uint64 {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.renewed.IsZero() || elapsed(c.renewed, now) >= fenceTimeout {
		return 0
	}
	return c.epoch
}

// elapsed returns the time between then and now, by the larger of two clocks: the monotonic clock stops while a machine
// sleeps, and the wall clock may be set back.
func elapsed(then, now time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}

// ended reports whether a claim existed and has ended.
func (c *claim) ended() bool {
	c.mu.Lock()
	claimed := c.epoch != 0
	c.mu.Unlock()
	return claimed && c.current() == 0
}

// owned reports whether this process may have written a record, under this claim or an earlier one.
func (c *claim) owned(o owner) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return o.Process == c.process && c.first != 0 && o.Claim >= c.first && o.Claim <= c.epoch
}

// named reports whether another process has the name, or had it until its lease expired recently. It is false before the
// first renewal.
func (c *claim) named() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}

// lose ends the claim.
func (c *claim) lose() {
	c.next, c.revision = 0, 0
	c.mu.Lock()
	c.renewed = time.Time{}
	c.mu.Unlock()
}

// renew writes the record returned by entry. It claims the name first if the process does not hold the claim. It reports
// whether a new claim has begun.
func (c *claim) renew(ctx context.Context, entry func(epoch uint64) any) (begun bool, err error) {
	defer func() {
		if err == nil || errors.Is(err, errNamed) {
			c.mu.Lock()
			c.taken = err != nil
			c.mu.Unlock()
		}
	}()
	for range maxTries {
		start := c.now()
		if c.next == 0 {
			if err := c.drawEpoch(ctx); err != nil {
				return false, err
			}
		}
		value, err := json.Marshal(entry(c.next))
		if err != nil {
			return false, err
		}
		revision, err := c.directory.Save(ctx, c.key, value, c.revision, ProcessLease)
		if err == nil {
			c.revision = revision
			return c.hold(start), nil
		}
		if !errors.Is(err, ErrConflict) {
			return false, err
		}
		var found claimRecord
		newest, err := find(ctx, c.directory, c.key, &found)
		switch {
		case err != nil:
			return false, err
		case newest == 0 && c.revision != 0: // the lease has expired, and others know
			c.lose()
		case newest == 0:
		case found.Process == c.process && found.Epoch == c.next: // the refused write was done
			c.revision = newest
		default:
			c.lose()
			return false, errNamed
		}
	}
	return false, fmt.Errorf("fleet: process %s: %w", c.process, ErrConflict)
}

// hold records an acknowledged renewal and reports whether it begins a new claim.
func (c *claim) hold(start time.Time) (begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	begun = c.epoch != c.next
	c.epoch, c.renewed = c.next, start
	if c.first == 0 {
		c.first = c.epoch
	}
	return begun
}

// drawEpoch draws the epoch of the next claim, once the name is free.
func (c *claim) drawEpoch(ctx context.Context) error {
	var found claimRecord
	switch revision, err := find(ctx, c.directory, c.key, &found); {
	case err != nil:
		return err
	case revision != 0:
		return errNamed
	case c.unique:
		c.highest++
		c.next = c.highest
		return nil
	}
	key := epochKey(c.process)
	for range maxTries {
		r, err := c.directory.Load(ctx, key)
		var e epochEntry
		if err == nil {
			err = json.Unmarshal(r.Value, &e)
		}
		if err != nil && !errors.Is(err, ErrAbsent) {
			return fmt.Errorf("fleet: %s: %w", key, err)
		}
		next := max(e.Epoch, c.highest) + 1
		value, err := json.Marshal(epochEntry{next})
		if err != nil {
			return err
		}
		_, err = c.directory.Save(ctx, key, value, r.Revision, 0)
		if err == nil {
			c.highest, c.next = next, next
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("fleet: %s: %w", key, ErrConflict)
}

// resign removes the record of the claim.
func (c *claim) resign(ctx context.Context) error {
	if c.next == 0 {
		return nil
	}
	err := c.directory.Remove(ctx, c.key, c.revision)
	if errors.Is(err, ErrConflict) {
		var found claimRecord
		if newest, _ := find(ctx, c.directory, c.key, &found); newest != 0 && found.Process == c.process && found.Epoch == c.next {
			err = c.directory.Remove(ctx, c.key, newest)
		}
	}
	c.lose()
	return err
}
