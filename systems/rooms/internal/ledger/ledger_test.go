package ledger

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

// word is a saying for tests.
type word struct {
	claim  *Claim
	holder Holder
	stands uint64
	swept  int
	yields bool
}

func (w *word) Value(claim uint64) any {
	w.holder.Claim = claim
	return w.holder
}
func (w *word) Stands(claim uint64)      { w.stands = claim }
func (w *word) Swept()                   { w.swept++ }
func (w *word) Yields(there []byte) bool { return w.yields && !w.Wrote(there) }
func (w *word) Wrote(there []byte) bool {
	return strings.Contains(string(there), fmt.Sprintf("%q", w.holder.Process))
}

// writer is a process that writes.
type writer struct {
	*Scribe
	word  *word
	marks int
}

func (s *store) writer(name string) *writer {
	w := &writer{}
	w.Scribe = NewScribe(Config{
		Directory: s, Process: name, Now: func() time.Time { return s.now }, Logger: slog.New(slog.DiscardHandler),
		Own:  func(epoch uint64) any { return process{name, epoch} },
		Say:  func(string, any) (Saying, bool) { return w.word, true },
		All:  func(func(string, any)) { w.marks++ },
		Told: func(bool) {}, Prefixes: []string{"room."}, Stay: time.Minute,
	})
	w.word = &word{claim: w.Claim(), holder: Holder{Process: name}, yields: true}
	return w
}

// A claim is counted from before it was written: others may have heard of it then.
func TestClaimsAreCountedFromBefore(t *testing.T) {
	s := newStore()
	c := NewClaim(s, func() time.Time { return s.now }, Prefix+"a", "a", true)
	began := s.now
	s.takes = 5 * time.Second
	if _, err := c.Renew(t.Context(), func(epoch uint64) any { return process{"a", epoch} }); err != nil {
		t.Fatal(err)
	}
	s.now = began.Add(fence - 1)
	if c.Current() != 1 {
		t.Error("the claim has ended early")
	}
	s.now = began.Add(fence)
	if c.Current() != 0 || !c.Ended() {
		t.Error("the claim has not ended")
	}
}

// later is a time after some by one of the clocks alone: for intervals, or of the day.
func later(at time.Time, d time.Duration, intervals bool) time.Time {
	if !intervals {
		at, d = at.Add(d), -d
	}
	// The reading of the clock for intervals is the second word of a time that has one.
	*(*int64)(unsafe.Add(unsafe.Pointer(&at), 8)) += int64(d)
	return at
}

// Of the clock for intervals, which stands still while a machine sleeps, and the time of day, which is set, the one counts
// that says more.
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
	w.Mark("room.1", w)
	s.fails = func(key string) (bool, error) {
		if strings.HasPrefix(key, Prefix) {
			return true, ErrUnavailable
		}
		return false, nil
	}
	w.Flush(t.Context(), s.now)
	if w.Claim().Current() != 0 || w.Claim().Ended() {
		t.Fatal("it was refused")
	}
	s.fails = nil
	s.now = s.now.Add(time.Second)
	w.Flush(t.Context(), s.now)
	var e process
	if _, err := Find(t.Context(), s, "process.a", &e); err != nil || w.Claim().Current() != 1 || e.Epoch != 1 || w.word.stands != 1 {
		t.Fatalf("%+v, %d, %v", e, w.Claim().Current(), err)
	}
}

// A long list is no reason to be taken for dead.
func TestLongListsRenewTheClaim(t *testing.T) {
	s := newStore()
	w := s.writer("a")
	w.Flush(t.Context(), s.now)
	s.takes = 100 * time.Millisecond
	for i := range 300 {
		w.Mark(fmt.Sprint("room.", i), i)
	}
	w.Flush(t.Context(), s.now)
	if n := len(w.Ledger().Said()); n != 300 || w.Claim().Current() != 1 || w.marks != 1 {
		t.Errorf("%d are written, claim %d", n, w.Claim().Current())
	}
}

// Nothing is written without a claim, over what somebody else has written, or over a later word than the one that was
// seen.
func TestWhatIsWrittenOver(t *testing.T) {
	s := newStore()
	a, b := s.writer("a"), s.writer("b")
	ctx := t.Context()
	if err := a.Ledger().Write(ctx, "room.1", a, a.word); !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	if err := a.Ledger().TakeOver(ctx, "room.1", a, a.word, 0); !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	a.Flush(ctx, s.now)
	b.Flush(ctx, s.now)
	if err := a.Ledger().Write(ctx, "room.1", a, a.word); err != nil || a.word.stands != 1 {
		t.Fatal(err)
	}
	var there Holder
	old, err := Find(ctx, s, "room.1", &there)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Ledger().Write(ctx, "room.1", a, a.word); err != nil {
		t.Fatal(err)
	}
	if err := b.Ledger().TakeOver(ctx, "room.1", b, b.word, old); !errors.Is(err, ErrConflict) || b.word.stands != 0 {
		t.Fatalf("over a later word: %v", err)
	}
	if err := b.Ledger().TakeBack(ctx, "room.1", b, b.word); err != nil {
		t.Fatal(err)
	}
	if err := b.Ledger().Write(ctx, "room.1", b, b.word); err != nil || b.word.stands != 0 {
		t.Fatalf("it does not yield: %v", err)
	}
	if old, _ = Find(ctx, s, "room.1", &there); there.Process != "a" {
		t.Fatalf("%+v", there)
	}
	if err := b.Ledger().TakeOver(ctx, "room.1", b, b.word, old); err != nil || b.word.stands != 1 {
		t.Fatal(err)
	}
	if err := b.Ledger().TakeOver(ctx, "room.1", a, b.word, old+1); !errors.Is(err, ErrConflict) {
		t.Fatalf("over a word of its own: %v", err)
	}
	// A claim whose answer is lost is a claim.
	old, _ = Find(ctx, s, "room.1", &there)
	c := s.writer("c")
	c.Flush(ctx, s.now)
	s.fails = func(string) (bool, error) { return false, ErrUnavailable }
	if err := c.Ledger().TakeOver(ctx, "room.1", c, c.word, old); !errors.Is(err, ErrUnavailable) || c.word.stands != 0 {
		t.Fatalf("refused: %v", err)
	}
	if err := c.Ledger().TakeBack(ctx, "room.1", c, c.word); err != nil {
		t.Fatal(err)
	}
	s.fails = func(string) (bool, error) { return true, ErrUnavailable }
	if err := c.Ledger().TakeOver(ctx, "room.1", c, c.word, old); err != nil || c.word.stands != 1 {
		t.Fatal(err)
	}
	s.fails = nil
	if err := c.Ledger().TakeBack(ctx, "room.1", c, c.word); err != nil {
		t.Fatal(err)
	}
	if all, _ := s.List(ctx, "room."); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

// Lists may be older than what they are of: what a process says that is there stays.
func TestSweepAsksWhoIsThere(t *testing.T) {
	s := newStore()
	a, b := s.writer("a"), s.writer("b")
	pass := func(d time.Duration) {
		for end := s.now.Add(d); s.now.Before(end); {
			s.now = s.now.Add(time.Second)
			a.Flush(t.Context(), s.now)
			b.Flush(t.Context(), s.now)
		}
	}
	pass(time.Second)
	b.Mark("room.1", b)
	s.hidden = "process.b"
	pass(3 * time.Minute)
	if all, _ := s.Memory.List(t.Context(), "room."); len(all) != 1 {
		t.Error("what a process says that is there was removed")
	}
}

// What this process seems to say is left for one look, as lists are of a moment ago.
func TestLateWords(t *testing.T) {
	s := newStore()
	a := s.writer("a")
	a.Flush(t.Context(), s.now)
	if _, err := s.Memory.Save(t.Context(), "room.1", []byte(`{"process":"a","process_epoch":1}`), 0, 0); err != nil {
		t.Fatal(err)
	}
	for looks, want := range []int{1, 0} {
		s.now = s.now.Add(sweepTime)
		a.Flush(t.Context(), s.now)
		if all, _ := s.Memory.List(t.Context(), "room."); len(all) != want {
			t.Errorf("after %d more looks there are %d", looks+1, len(all))
		}
	}
}
