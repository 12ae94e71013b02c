package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/systems/rooms"
)

// store is a directory in virtual time whose writes take their time, and may be refused.
type store struct {
	*Memory
	now    time.Time
	takes  time.Duration
	fails  func(key string) (done bool, err error) // may be nil
	hidden string                                  // a key that lists do not have yet
}

func newStore() *store {
	s := &store{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.Memory = NewMemory(func() time.Time { return s.now })
	return s
}

func (s *store) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	s.now = s.now.Add(s.takes)
	if s.fails != nil {
		if done, err := s.fails(key); err != nil {
			if done {
				_, _ = s.Memory.Save(ctx, key, value, revision, lease)
			}
			return 0, err
		}
	}
	return s.Memory.Save(ctx, key, value, revision, lease)
}

func (s *store) List(ctx context.Context, prefix string) ([]Record, error) {
	all, err := s.Memory.List(ctx, prefix)
	return slices.DeleteFunc(all, func(r Record) bool { return r.Key == s.hidden }), err
}

// word is a publication for tests.
type word struct {
	claim  *claim
	holder owner
	stands uint64
	swept  int
	gives  bool
}

func (w *word) value(claim uint64) any {
	w.holder.Claim = claim
	return w.holder
}
func (w *word) written(claim uint64)     { w.stands = claim }
func (w *word) removed()                 { w.swept++ }
func (w *word) yields(there []byte) bool { return w.gives && !w.owns(there) }
func (w *word) owns(there []byte) bool {
	return strings.Contains(string(there), fmt.Sprintf("%q", w.holder.Process))
}

// writer is a process that writes.
type writer struct {
	*publisher
	word  *word
	marks int
}

func (s *store) writer(name string) *writer {
	w := &writer{}
	w.publisher = newPublisher(publisherConfig{
		directory: s, process: name, now: func() time.Time { return s.now }, logger: slog.New(slog.DiscardHandler),
		entry:       func(epoch uint64) any { return claimRecord{name, epoch} },
		publication: func(any) (publication, bool) { return w.word, true },
		markAll:     func(func(string, any)) { w.marks++ },
		fenced:      func(bool) {},
	})
	w.word = &word{claim: w.claim, holder: owner{Process: name}, gives: true}
	return w
}

// The timeout of a claim starts when its write starts: other processes may receive the claim before the write returns.
func TestClaimsAreCountedFromBefore(t *testing.T) {
	s := newStore()
	c := newClaim(s, func() time.Time { return s.now }, ProcessPrefix+"a", "a", true)
	began := s.now
	s.takes = 5 * time.Second
	if _, err := c.renew(t.Context(), func(epoch uint64) any { return claimRecord{"a", epoch} }); err != nil {
		t.Fatal(err)
	}
	s.now = began.Add(fenceTimeout - 1)
	if c.current() != 1 {
		t.Error("the claim has ended early")
	}
	s.now = began.Add(fenceTimeout)
	if c.current() != 0 || !c.ended() {
		t.Error("the claim has not ended")
	}
}

// later returns a time after some by one of the clocks alone: for intervals, or of the day.
func later(at time.Time, d time.Duration, intervals bool) time.Time {
	if !intervals {
		at, d = at.Add(d), -d
	}
	// The reading of the clock for intervals is the second word of a time that has one.
	*(*int64)(unsafe.Add(unsafe.Pointer(&at), 8)) += int64(d)
	return at
}

// The monotonic clock stops while a machine sleeps, and the wall clock may be set: the larger difference counts.
func TestTheClockThatSaysMore(t *testing.T) {
	then := time.Now()
	if now := later(then, time.Minute, true); now.Sub(then) != time.Minute || !now.Round(0).Equal(then.Round(0)) {
		t.Fatal("times are not what this test takes them for")
	}
	for name, now := range map[string]time.Time{
		"it was set back": later(then, time.Minute, true), "it has slept": later(then, time.Minute, false), "both": then.Add(time.Minute),
	} {
		if d := elapsed(then, now); d != time.Minute {
			t.Errorf("%s: %v", name, d)
		}
	}
}

// A claim that was refused and done is found again.
func TestClaimsThatAreLost(t *testing.T) {
	s := newStore()
	w := s.writer("a")
	w.mark("room.1", w)
	s.fails = func(key string) (bool, error) {
		if strings.HasPrefix(key, ProcessPrefix) {
			return true, rooms.ErrUnavailable
		}
		return false, nil
	}
	w.flush(t.Context(), s.now)
	if w.claim.current() != 0 || w.claim.ended() {
		t.Fatal("it was refused")
	}
	s.fails = nil
	s.now = s.now.Add(time.Second)
	w.flush(t.Context(), s.now)
	var e claimRecord
	if _, err := find(t.Context(), s, "process.a", &e); err != nil || w.claim.current() != 1 || e.Epoch != 1 || w.word.stands != 1 {
		t.Fatalf("%+v, %d, %v", e, w.claim.current(), err)
	}
}

// A process that writes a long list renews its claim meanwhile.
func TestLongListsRenewTheClaim(t *testing.T) {
	s := newStore()
	w := s.writer("a")
	w.flush(t.Context(), s.now)
	s.takes = 100 * time.Millisecond
	for i := range 300 {
		w.mark(fmt.Sprint("room.", i), i)
	}
	w.flush(t.Context(), s.now)
	if n := len(w.records.sources()); n != 300 || w.claim.current() != 1 || w.marks != 1 {
		t.Errorf("%d are written, claim %d", n, w.claim.current())
	}
}

// Nothing is written without a claim, over a record of another process, or over a later revision than the one that was read.
func TestWhatIsWrittenOver(t *testing.T) {
	s := newStore()
	a, b := s.writer("a"), s.writer("b")
	ctx := t.Context()
	if err := a.records.write(ctx, "room.1", a, a.word); !errors.Is(err, errNoClaim) {
		t.Fatal(err)
	}
	if err := a.records.takeOver(ctx, "room.1", a, a.word, 0); !errors.Is(err, errNoClaim) {
		t.Fatal(err)
	}
	a.flush(ctx, s.now)
	b.flush(ctx, s.now)
	if err := a.records.write(ctx, "room.1", a, a.word); err != nil || a.word.stands != 1 {
		t.Fatal(err)
	}
	var there owner
	old, err := find(ctx, s, "room.1", &there)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.records.write(ctx, "room.1", a, a.word); err != nil {
		t.Fatal(err)
	}
	if err := b.records.takeOver(ctx, "room.1", b, b.word, old); !errors.Is(err, ErrConflict) || b.word.stands != 0 {
		t.Fatalf("over a later word: %v", err)
	}
	if err := b.records.withdraw(ctx, "room.1", b, b.word); err != nil {
		t.Fatal(err)
	}
	if err := b.records.write(ctx, "room.1", b, b.word); err != nil || b.word.stands != 0 {
		t.Fatalf("it does not yield: %v", err)
	}
	if old, _ = find(ctx, s, "room.1", &there); there.Process != "a" {
		t.Fatalf("%+v", there)
	}
	if err := b.records.takeOver(ctx, "room.1", b, b.word, old); err != nil || b.word.stands != 1 {
		t.Fatal(err)
	}
	if err := b.records.takeOver(ctx, "room.1", a, b.word, old+1); !errors.Is(err, ErrConflict) {
		t.Fatalf("over a word of its own: %v", err)
	}
	// A claim whose answer is lost is a claim.
	old, _ = find(ctx, s, "room.1", &there)
	c := s.writer("c")
	c.flush(ctx, s.now)
	s.fails = func(string) (bool, error) { return false, rooms.ErrUnavailable }
	if err := c.records.takeOver(ctx, "room.1", c, c.word, old); !errors.Is(err, rooms.ErrUnavailable) || c.word.stands != 0 {
		t.Fatalf("refused: %v", err)
	}
	if err := c.records.withdraw(ctx, "room.1", c, c.word); err != nil {
		t.Fatal(err)
	}
	s.fails = func(string) (bool, error) { return true, rooms.ErrUnavailable }
	if err := c.records.takeOver(ctx, "room.1", c, c.word, old); err != nil || c.word.stands != 1 {
		t.Fatal(err)
	}
	s.fails = nil
	if err := c.records.withdraw(ctx, "room.1", c, c.word); err != nil {
		t.Fatal(err)
	}
	if all, _ := s.List(ctx, "room."); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

// Lists may be outdated: records of live processes stay.
func TestSweepAsksWhoIsThere(t *testing.T) {
	s := newStore()
	a, b := s.writer("a"), s.writer("b")
	pass := func(d time.Duration) {
		for end := s.now.Add(d); s.now.Before(end); {
			s.now = s.now.Add(time.Second)
			a.flush(t.Context(), s.now)
			b.flush(t.Context(), s.now)
		}
	}
	pass(time.Second)
	b.mark("room.1", b)
	s.hidden = "process.b"
	pass(3 * time.Minute)
	if all, _ := s.Memory.List(t.Context(), "room."); len(all) != 1 {
		t.Error("what a process says that is there was removed")
	}
}

// An unpublished record with this process's claim is kept for one sweep, because lists may be outdated.
func TestLateWords(t *testing.T) {
	s := newStore()
	a := s.writer("a")
	a.flush(t.Context(), s.now)
	for _, key := range []string{"player.1", "room.1"} {
		if _, err := s.Memory.Save(t.Context(), key, []byte(`{"process":"a","process_epoch":1}`), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	for looks, want := range []int{4, 2} { // with the process and its epoch
		s.now = s.now.Add(sweepInterval)
		a.flush(t.Context(), s.now)
		if all, _ := s.Memory.List(t.Context(), ""); len(all) != want {
			t.Errorf("after %d more looks there are %d", looks+1, len(all))
		}
	}
}
