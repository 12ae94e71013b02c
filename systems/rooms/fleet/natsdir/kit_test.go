package natsdir

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/fleet/fleettest"
)

// patience is the maximum time that a test waits for a condition.
const patience = time.Minute

// watchHand is a clock that tests turn.
type watchHand struct {
	mu  sync.Mutex
	now time.Time
}

func (w *watchHand) turn(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *watchHand) get() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func embedded(t *testing.T, servers int) *Servers {
	t.Helper()
	s, err := Embedded(Embedding{Servers: servers, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// opened returns a directory, and the hand that turns its clock.
func opened(t *testing.T, c Config) (*Directory, *watchHand) {
	t.Helper()
	clock := &watchHand{now: time.Unix(1e9, 0)}
	c.Now = clock.get
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	d, err := Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, clock
}

// within waits until something holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// The directory in JetStream is a conforming directory.
func TestDirectory(t *testing.T) {
	s := embedded(t, 1)
	buckets := 0
	fleettest.Directory(t, func(t *testing.T) fleettest.Store {
		buckets++
		c := s.Config()
		c.Bucket = fmt.Sprint("bucket", buckets)
		d, clock := opened(t, c)
		return fleettest.Store{Directory: d, Pass: func(by time.Duration) {
			clock.turn(by)
			d.expire(t.Context())
		}}
	})
}
