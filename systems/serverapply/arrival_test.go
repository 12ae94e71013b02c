package serverapply

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// arrivalTick runs a tick of timing Arrival. It returns the sequence numbers that were stepped, 0 for a filler.
func (s *sender) arrivalTick(t *testing.T, a *arrival) (steps []uint32) {
	t.Helper()
	a.refill()
	for {
		words, ok := a.step(s.buffer, len(steps))
		if !ok {
			return steps
		}
		if words == nil {
			return append(steps, 0)
		}
		seq := s.buffer.expected - 1
		if words[0] != int32(uint16(seq)) {
			t.Fatalf("tick %d: input %d in place of %d", s.tick, words[0], seq)
		}
		steps = append(steps, seq)
	}
}

// arrive lets ticks of that timing pass.
func (s *sender) arrive(t *testing.T, a *arrival, ticks int) {
	t.Helper()
	for range ticks {
		s.deliver(false)
		s.arrivalTick(t, a)
	}
}

// Under any pattern of arrivals, a client steps at most 2 % faster than the ticks, apart from one burst. Every input that
// arrives is stepped once and in order.
func TestArrivalBoundsStepsAndLosesNothing(t *testing.T) {
	patterns := map[string]func(s *sender, n int) bool{ // whether packets pass in this tick
		"steady":      func(*sender, int) bool { return true },
		"in bursts":   func(_ *sender, n int) bool { return n%40 == 0 },
		"on and off":  func(_ *sender, n int) bool { return n/100%2 == 0 || n%100 == 0 },
		"random":      func(s *sender, _ int) bool { return s.r.IntN(6) == 0 },
		"second tick": func(_ *sender, n int) bool { return n%2 == 0 },
	}
	for name, passes := range patterns {
		s, a := newSender(t, 7, 1), arrival{}
		s.redundancy = wire.MaxRedundancy
		const ticks = 60 * 100
		var held []inputPacket
		steps, last := 0, uint32(0)
		var at []int // steps up to each tick
		for n := range ticks {
			s.newest++
			held = append(held, inputPacket{m: s.message(min(wire.MaxRedundancy, int(s.newest)))})
			s.tick++
			if passes(s, n) {
				for i := range held {
					s.buffer.receive(s.tick, &held[i].m, true)
				}
				held = held[:0]
			}
			for _, seq := range s.arrivalTick(t, &a) {
				steps++
				if seq == 0 {
					continue
				}
				if seq != last+1 {
					t.Fatalf("%s: input %d follows %d", name, seq, last)
				}
				last = seq
			}
			at = append(at, steps)
		}
		for i := range held {
			s.buffer.receive(s.tick, &held[i].m, true)
		}
		for range 300 { // what waits for tokens gets them
			for _, seq := range s.arrivalTick(t, &a) {
				if seq != 0 {
					last = seq
				}
			}
		}
		if st := s.buffer.stats; last != s.newest || st.Consumed != uint64(s.newest) || st.Late+st.Rejected+st.Resyncs > 0 {
			t.Errorf("%s: %d of %d inputs stepped: %+v", name, last, s.newest, st)
		}
		for from := 0; from < ticks; from += 37 {
			for to := from + 1; to < ticks; to += 211 {
				if got, most := float64(at[to]-at[from]), ArrivalBurst+arrivalRefill*float64(to-from); got > most {
					t.Fatalf("%s: %v steps from tick %d to %d, at most %v", name, got, from, to, most)
				}
			}
		}
	}
}

// A client that floods, with inputs from the future as fast as it likes, steps no
// faster than one that does not.
func TestArrivalFlood(t *testing.T) {
	s, a := newSender(t, 8, 1), arrival{}
	steps := 0
	const ticks = 6000
	for range ticks {
		s.tick++
		for range 20 {
			s.newest += 7
			m := s.message(min(wire.MaxRedundancy, int(s.newest)))
			s.buffer.receive(s.tick, &m, true)
		}
		a.refill()
		for n := 0; ; n++ {
			if _, ok := a.step(s.buffer, n); !ok {
				break
			}
			steps++
		}
	}
	if most := ArrivalBurst + arrivalRefill*ticks; float64(steps) > most {
		t.Errorf("%d steps in %d ticks, at most %.0f", steps, ticks, most)
	}
}

// Inputs that were lost in more packets than the redundancy covers are skipped and counted. The server does not wait for them.
func TestArrivalSkipsWhatIsLost(t *testing.T) {
	s, a := newSender(t, 9, 1), arrival{}
	s.redundancy = 2
	s.arrive(t, &a, 50)
	s.loss = 1
	s.arrive(t, &a, 5)
	s.loss = 0
	s.buffer.stats = Stats{}
	s.arrive(t, &a, 61)
	if st := s.buffer.stats; st.Missing < 4 || st.Resyncs+st.Rejected > 0 || s.buffer.expected != s.newest+1 {
		t.Errorf("%+v, expecting %d after %d", st, s.buffer.expected, s.newest)
	}
}
