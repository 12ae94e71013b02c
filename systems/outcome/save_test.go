package outcome_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
)

// deed is an outcome with all kinds of fields.
type deed struct {
	Good bool
	at   struct{ X, Y float32 }
	Of   [2]int64
	N    uint16
}

// open returns a log with outcomes that are not final: begun, not begun, and withdrawn.
func open(t testing.TB) (*stage, []byte) {
	s := newStage(outcome.Config{})
	outcome.Handle(s.log, outcome.Handlers[deed]{})
	d := deed{Good: true, Of: [2]int64{-1, 1 << 60}, N: 9}
	d.at.Y = 0.5
	for tick := range uint32(3) {
		s.log.Start(tick)
		outcome.Raise(s.w, s.entities[tick], kill{By: uint8(tick)})
		outcome.Raise(s.w, s.entities[0], d)
		s.log.Done()
		if tick < 2 {
			s.log.Settle(0)
		}
	}
	s.log.Rewind(1)
	for tick := uint32(1); tick < 3; tick++ {
		s.log.Start(tick)
		outcome.Raise(s.w, s.entities[0], d)
		s.log.Done()
	}
	b, err := s.log.AppendOpen(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// A log that reads open outcomes continues like the one that wrote them: with the same commits and cancels under the same IDs.
func TestOpenOutcomesAreSaved(t *testing.T) {
	s, b := open(t)
	o := newStage(outcome.Config{})
	var was, is []deed
	o2 := outcome.Handlers[deed]{Commit: func(_ *ecs.World, o outcome.Outcome[deed]) { is = append(is, o.Value) }}
	outcome.Handle(o.log, o2)
	if err := o.log.ReadOpen(b); err != nil {
		t.Fatal(err)
	}
	if a, b := s.log.Stats(), o.log.Stats(); a.Open != b.Open || a.Begun != b.Begun {
		t.Fatalf("%+v, read %+v", a, b)
	}
	s.told, o.told = nil, nil
	s.log.Settle(5)
	o.log.Settle(5)
	if len(s.told) == 0 || !slices.Equal(s.told, o.told) {
		t.Errorf("told %v\nread %v", s.told, o.told)
	}
	for range 3 {
		d := deed{Good: true, Of: [2]int64{-1, 1 << 60}, N: 9}
		d.at.Y = 0.5
		was = append(was, d)
	}
	if !slices.Equal(was, is) {
		t.Errorf("committed %+v, want %+v", is, was)
	}
}

func TestReadOpenRefuses(t *testing.T) {
	_, b := open(t)
	for n := range b {
		o := newStage(outcome.Config{})
		outcome.Handle(o.log, outcome.Handlers[deed]{})
		if err := o.log.ReadOpen(b[:n]); !errors.Is(err, outcome.ErrSaved) || o.log.Stats().Open > 0 {
			t.Fatalf("%d bytes of %d: %v", n, len(b), err)
		}
	}
	if err := newStage(outcome.Config{}).log.ReadOpen(b); err == nil || !strings.Contains(err.Error(), "nothing handles outcome_test.deed") {
		t.Errorf("without a handler: %v", err)
	}
	s := newStage(outcome.Config{})
	outcome.Handle(s.log, outcome.Handlers[string]{})
	s.log.Start(1)
	outcome.Raise(s.w, ecs.Entity{}, "text")
	s.log.Done()
	if _, err := s.log.AppendOpen(nil); err == nil || !strings.Contains(err.Error(), "string cannot be saved") {
		t.Errorf("a type with pointers: %v", err)
	}
}

// After arbitrary bytes the log continues.
func FuzzReadOpen(f *testing.F) {
	_, b := open(f)
	f.Add(b)
	empty, _ := newStage(outcome.Config{}).log.AppendOpen(nil)
	f.Add(empty)
	f.Fuzz(func(t *testing.T, b []byte) {
		o := newStage(outcome.Config{})
		outcome.Handle(o.log, outcome.Handlers[deed]{})
		if err := o.log.ReadOpen(b); err != nil && !errors.Is(err, outcome.ErrSaved) {
			t.Fatal(err)
		}
		o.log.Settle(0)
		if _, err := o.log.AppendOpen(nil); err != nil {
			t.Fatal(err)
		}
		o.log.Start(7)
		outcome.Raise(o.w, o.entities[0], kill{})
		o.log.Done()
		o.log.Settle(9)
		o.log.Settle(^uint32(0))
	})
}
