package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// Prefix is what the keys of processes begin with.
	Prefix = "process."
	// Lease is how long a process that is not heard from is believed to be there.
	Lease = 10 * time.Second
	// fence is how long a process counts itself as there after the last time that it said so: less than its lease, so that
	// it stops before anybody may think it gone, though clocks differ and a write takes its time.
	fence = Lease - 1500*time.Millisecond
)

// epochKey is the key of an [epochEntry].
func epochKey(process string) string { return "epoch." + process }

// epochEntry is how often the name of a process was claimed. It stays when the process has gone.
type epochEntry struct {
	Epoch uint64 `json:"epoch"`
}

// ErrNamed is why a process waits that has the name of another one.
var ErrNamed = errors.New("rooms: another process has this name, or had it until a moment ago: give each process its own name, or wait until the lease of the other one has run out")

// Claim is the right of a process to its name: to say in the directory what is its own. Each claim has an epoch that no
// other one has, as it is drawn from a record by compare-and-set. It lasts for less than the lease of the process's entry,
// from when the newest renewal was begun that was acknowledged, by this process's clock.
type Claim struct {
	directory Directory
	now       func() time.Time
	key       string
	process   string
	drawn     bool // the name was drawn: nobody else ever has it

	mu    sync.Mutex
	epoch uint64    // of the claim at hand, or of the last; 0: there was none
	first uint64    // of the first
	heard time.Time // when the newest renewal was begun; zero: the claim is lost
	named bool      // another process has the name, as the last renewal found

	// of who renews
	raised   uint64 // the epoch to claim with; 0: none
	highest  uint64 // that was raised to
	revision uint64 // of the process's entry
}

// NewClaim returns a claim that has not begun, to the record under a key: a process's entry, or what one process at a time does
// for all. Drawn says that nobody else ever has the name, so no record of its epochs is kept.
func NewClaim(d Directory, now func() time.Time, key, name string, drawn bool) *Claim {
	return &Claim{directory: d, now: now, key: key, process: name, drawn: drawn}
}

// Current is the epoch of the claim, 0 where it has ended, or has not begun.
func (c *Claim) Current() uint64 {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.heard.IsZero() || elapsed(c.heard, now) >= fence {
		return 0
	}
	return c.epoch
}

// elapsed is how long ago then is, by the clock that says more: the one for intervals stands still while a machine sleeps,
// and the time of day may be set back.
func elapsed(then, now time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}

// Ended reports whether there was a claim, which has ended.
func (c *Claim) Ended() bool {
	c.mu.Lock()
	claimed := c.epoch != 0
	c.mu.Unlock()
	return claimed && c.Current() == 0
}

// Mine reports whether something may have been said by this process, under a claim of before or the one at hand.
func (c *Claim) Mine(h Holder) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.Process == c.process && c.first != 0 && h.Claim >= c.first && h.Claim <= c.epoch
}

// Named reports whether another process has the name, or has left it so lately that its lease has not run out. It is false
// before the first renewal.
func (c *Claim) Named() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.named
}

// lose ends the claim.
func (c *Claim) lose() {
	c.raised, c.revision = 0, 0
	c.mu.Lock()
	c.heard = time.Time{}
	c.mu.Unlock()
}

// Renew says that the process is there, and claims its name where it has not, or not any longer. Entry is what to say
// under an epoch. Anew reports a claim that has begun.
func (c *Claim) Renew(ctx context.Context, entry func(epoch uint64) any) (anew bool, err error) {
	defer func() {
		if err == nil || errors.Is(err, ErrNamed) {
			c.mu.Lock()
			c.named = err != nil
			c.mu.Unlock()
		}
	}()
	key := c.key
	for range tries {
		began := c.now()
		if c.raised == 0 {
			if err := c.raise(ctx); err != nil {
				return false, err
			}
		}
		value, err := json.Marshal(entry(c.raised))
		if err != nil {
			return false, err
		}
		revision, err := c.directory.Save(ctx, key, value, c.revision, Lease)
		if err == nil {
			c.revision = revision
			return c.begin(began), nil
		}
		if !errors.Is(err, ErrConflict) {
			return false, err
		}
		var there process
		newest, err := Find(ctx, c.directory, key, &there)
		switch {
		case err != nil:
			return false, err
		case newest == 0 && c.revision != 0: // the lease has run out, and others know
			c.lose()
		case newest == 0:
		case there.Process == c.process && there.Epoch == c.raised: // it was written, and refused all the same
			c.revision = newest
		default:
			c.lose()
			return false, ErrNamed
		}
	}
	return false, fmt.Errorf("rooms: process %s: %w", c.process, ErrConflict)
}

// begin notes a renewal that was acknowledged, and reports whether the claim has begun with it.
func (c *Claim) begin(began time.Time) (anew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	anew = c.epoch != c.raised
	c.epoch, c.heard = c.raised, began
	if c.first == 0 {
		c.first = c.epoch
	}
	return anew
}

// raise draws the epoch of another claim, once nobody has the name any more.
func (c *Claim) raise(ctx context.Context) error {
	var there process
	switch revision, err := Find(ctx, c.directory, c.key, &there); {
	case err != nil:
		return err
	case revision != 0:
		return ErrNamed
	case c.drawn:
		c.highest++
		c.raised = c.highest
		return nil
	}
	key := epochKey(c.process)
	for range tries {
		r, err := c.directory.Load(ctx, key)
		var e epochEntry
		if err == nil {
			err = json.Unmarshal(r.Value, &e)
		}
		if err != nil && !errors.Is(err, ErrAbsent) {
			return fmt.Errorf("rooms: %s: %w", key, err)
		}
		next := max(e.Epoch, c.highest) + 1
		value, err := json.Marshal(epochEntry{next})
		if err != nil {
			return err
		}
		_, err = c.directory.Save(ctx, key, value, r.Revision, 0)
		if err == nil {
			c.highest, c.raised = next, next
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("rooms: %s: %w", key, ErrConflict)
}

// Resign takes the process's entry back.
func (c *Claim) Resign(ctx context.Context) error {
	if c.raised == 0 {
		return nil
	}
	key := c.key
	err := c.directory.Remove(ctx, key, c.revision)
	if errors.Is(err, ErrConflict) {
		var there process
		if newest, _ := Find(ctx, c.directory, key, &there); newest != 0 && there.Process == c.process && there.Epoch == c.raised {
			err = c.directory.Remove(ctx, key, newest)
		}
	}
	c.lose()
	return err
}
