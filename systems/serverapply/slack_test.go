package serverapply

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

func newSlack() *slack {
	s := &slack{tickRate: 60}
	s.clear(0)
	return s
}

// The window forgets a packet after ten seconds, not before nine and a half.
func TestSlackWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := newSlack()
	type noted struct{ tick, slack int64 }
	var all []noted
	for tick := int64(0); tick < 60*60; tick++ {
		if r.IntN(3) == 0 {
			v := int64(r.IntN(40)) - 10
			s.packet(tick, int(v), 0, true)
			all = append(all, noted{tick, v})
		}
		low, ok := s.lowest(tick)
		sure, possible := int64(noSlack), int64(noSlack)
		for _, n := range all {
			if tick-n.tick <= 9*60+30 {
				sure = min(sure, n.slack)
			}
			if tick-n.tick <= 10*60 {
				possible = min(possible, n.slack)
			}
		}
		switch {
		case ok && (int64(low) > sure || int64(low) < possible):
			t.Fatalf("tick %d: lowest %d, of %d to %d", tick, low, possible, sure)
		case !ok && sure != noSlack:
			t.Fatalf("tick %d: nothing, of %d", tick, sure)
		}
	}
	if _, ok := s.lowest(2 * 60 * 60); ok {
		t.Error("a window of long ago is not empty")
	}
}

func TestSlackRebaseAndPending(t *testing.T) {
	s := newSlack()
	s.rebase(5) // moves nothing that is not there
	if _, ok := s.lowest(0); ok {
		t.Fatal("a slack came from nothing")
	}
	s.packet(1, 3, 0, true)
	s.packet(40, 8, 0, true)
	s.rebase(2)
	if low, _ := s.lowest(41); low != 5 {
		t.Errorf("3, raised by 2, is %d", low)
	}
	s.clear(41)
	s.requestShift(41, 4)
	// The client has done half of what was asked: its packets count as if it had
	// done all.
	half := s.units() / 2
	if p := s.pending(half); p != 2 {
		t.Errorf("%v ticks are pending, not 2", p)
	}
	s.packet(42, 1, s.pending(half), true)
	if low, _ := s.lowest(42); low != 3 {
		t.Errorf("1 with 2 pending is %d", low)
	}
}

// The encoded shift wraps, and differences are still correct.
func TestSlackShiftWraps(t *testing.T) {
	s, c := newSlack(), clock.Steering{}
	for n := range int64(40) {
		s.requestShift(n, 300)
		c.Ask(s.units())
		if want := int32(s.asked * wire.ShiftUnit); c.Asked != want {
			t.Fatalf("the client was asked for %d units, took it as %d", want, c.Asked)
		}
		if got := s.pending(int16(c.Asked - 16)); got != 1 {
			t.Fatalf("%v ticks pending, not 1", got)
		}
	}
}

func TestSlackDecisions(t *testing.T) {
	const need, window = 4, slackWindow * 60
	for _, c := range []struct {
		name  string
		low   int
		young bool
		hold  bool
		asked int32
	}{
		{"young and short by one", need - 1, true, true, 0},
		{"young and short by five", need - 5, true, true, 0},
		{"young and enough", need, true, false, 0},
		{"young and plenty", need + 9, true, false, 0},
		{"short by one", need - 1, false, false, 1},
		{"short by two", need - 2, false, true, 0},
		{"enough", need, false, false, 0},
		{"one more than enough", need + 1, false, false, 0},
		{"two more than enough", need + 2, false, false, -1},
	} {
		s, tick := newSlack(), int64(30)
		if !c.young {
			tick += window
		}
		s.packet(tick, c.low, 0, true)
		if hold := s.decide(tick, need); hold != c.hold || s.asked != c.asked {
			t.Errorf("%s: hold %v, asked %d", c.name, hold, s.asked)
		}
		// A lack is answered once: the shift counts as done, and a hold as what it is.
		if c.asked > 0 && s.decide(tick, need) || s.asked != c.asked {
			t.Errorf("%s: answered twice, asked %d", c.name, s.asked)
		}
	}
	if newSlack().decide(5, need) {
		t.Error("an empty window holds")
	}
}

// Holds end when the lack is made up, and never exceed it.
func TestSlackHoldsAsOftenAsNeeded(t *testing.T) {
	s, holds := newSlack(), 0
	s.packet(10, -3, 0, true)
	for tick := int64(10); tick < 100; tick++ {
		if s.decide(tick, 4) {
			holds++
		}
	}
	if holds != 7 {
		t.Errorf("%d holds from -3 to 4", holds)
	}
}

// Whatever the slack is, the buffer shrinks by at most one input per second.
func TestSlackShrinksOnceASecond(t *testing.T) {
	s, r := newSlack(), rand.New(rand.NewPCG(3, 2))
	last, shrinks := int64(-60), 0
	for tick := int64(0); tick < 60*120; tick++ {
		s.packet(tick, 40+r.IntN(3), 0, true)
		before := s.asked
		s.decide(tick, 4)
		switch {
		case s.asked == before-1:
			if tick-last < 60 {
				t.Fatalf("shrunk at tick %d and at %d", last, tick)
			}
			last = tick
			shrinks++
		case s.asked < before:
			t.Fatalf("tick %d: shrunk by %d at once", tick, before-s.asked)
		}
		if tick < slackWindow*60 && shrinks > 0 {
			t.Fatalf("shrunk at tick %d, before the window was full", tick)
		}
	}
	if shrinks < 100 {
		t.Errorf("%d shrinks in 110 seconds of plenty", shrinks)
	}
}

// After any time without packets, all slack is forgotten, in constant time.
func TestSlackIsForgotten(t *testing.T) {
	s := newSlack()
	s.packet(100, 5, 0, true)
	const later = 1 << 50 // a walk over all that passed would not end
	if low, ok := s.lowest(later); ok {
		t.Errorf("a slack of %d is left", low)
	}
	s.packet(later, 3, 0, true)
	if low, ok := s.lowest(later + 1); !ok || low != 3 {
		t.Errorf("the slack is %d (%v), want 3", low, ok)
	}
}

// Packets that overtook each other in up to three of the last twenty half seconds say nothing about the path. In more of them, they do.
func TestSlackIgnoresRareOvertaking(t *testing.T) {
	for times, want := range []int32{2, 2, 2, 2, -50, -50} {
		s := newSlack()
		tick := int64(0)
		for ; tick < slackWindow*s.tickRate; tick++ {
			s.packet(tick, 2, 0, true)
			if half := s.tickRate / 2; tick%half == half/2 && tick/half < int64(times) {
				s.packet(tick, -50, 0, false)
			}
		}
		if low, ok := s.lowest(tick - 1); !ok || low != want {
			t.Errorf("overtaking %d times: the smallest slack is %d, want %d", times, low, want)
		}
	}
}

// A client whose packets often bring several inputs needs them in the buffer. A hitch does not count.
func TestSlackOfBursts(t *testing.T) {
	s := newSlack()
	for tick := int64(0); tick < slackWindow*s.tickRate; tick++ {
		if inputs := uint32(4); tick%4 == 0 {
			if tick == 200 {
				inputs = 60
			}
			s.advanced(tick, inputs)
		}
	}
	if got := s.burst(); got != 4 {
		t.Errorf("bursts of %d inputs, want 4", got)
	}
}
