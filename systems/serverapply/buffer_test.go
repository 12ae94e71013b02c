package serverapply

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// numbered is an input with its number.
type numbered struct {
	N uint16 `net:"0..65535"`
}

func numberedTable(t testing.TB) *schema.Table {
	t.Helper()
	table, err := schema.Compile(reflect.TypeFor[numbered](), nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// inputPacket is a packet on its way, by the number of the send.
type inputPacket struct {
	m   wire.Input
	due int64
	nth int
}

// sender is a client that sends its newest inputs every tick through a link that
// loses, delays and doubles.
type sender struct {
	r            *rand.Rand
	buffer       *buffer
	newest       uint32
	redundancy   int
	loss         float64
	delay        int // ticks, at most
	twice        float64
	flying       []inputPacket
	sent, latest int
	tick         int64
}

func newSender(t testing.TB, seed uint64, first uint32) *sender {
	return &sender{
		r: rand.New(rand.NewPCG(seed, 5)), buffer: newBuffer(numberedTable(t), 60, 1),
		newest: first - 1, redundancy: 8, latest: -1,
	}
}

// message returns the newest count inputs.
func (s *sender) message(count int) wire.Input {
	m := wire.Input{Newest: uint16(s.newest), Count: count}
	for i := range count {
		m.Words = append(m.Words, int32(uint16(s.newest-uint32(count-1-i))))
	}
	return m
}

// deliver runs a tick of the link: the client makes an input unless it is stalled, and the buffer receives the arrivals.
func (s *sender) deliver(stalled bool) {
	s.tick++
	if !stalled {
		s.newest++
		if s.r.Float64() >= s.loss {
			copies := 1
			if s.r.Float64() < s.twice {
				copies = 2
			}
			for range copies {
				m := s.message(min(s.redundancy, int(s.newest)))
				s.flying = append(s.flying, inputPacket{m, s.tick + int64(s.r.IntN(s.delay+1)), s.sent})
			}
		}
		s.sent++
	}
	s.r.Shuffle(len(s.flying), func(i, k int) { s.flying[i], s.flying[k] = s.flying[k], s.flying[i] })
	rest := s.flying[:0]
	for _, p := range s.flying {
		if p.due > s.tick {
			rest = append(rest, p)
			continue
		}
		s.buffer.receive(s.tick, &p.m, p.nth > s.latest)
		s.latest = max(s.latest, p.nth)
	}
	s.flying = rest
}

// step takes one input from the buffer, and checks that it is the next one.
func (s *sender) step(t *testing.T, loss float64) (stepped, real bool) {
	t.Helper()
	s.buffer.finishReceive(s.tick)
	before, resyncs := s.buffer.expected, s.buffer.stats.Resyncs
	stepped, words := s.buffer.nextBuffered(s.tick, loss)
	if s.buffer.stats.Resyncs > resyncs {
		before = s.buffer.expected - 1 // what piled up while it did not run is skipped
	}
	switch {
	case !stepped && s.buffer.expected != before:
		t.Fatalf("tick %d: no step, and input %d is gone", s.tick, before)
	case stepped && s.buffer.expected != before+1:
		t.Fatalf("tick %d: a step from input %d to %d", s.tick, before, s.buffer.expected)
	case words != nil && words[0] != int32(uint16(before)):
		t.Fatalf("tick %d: input %d in place of %d", s.tick, words[0], before)
	}
	return stepped, words != nil
}

// run lets ticks pass, in which nothing is lost.
func (s *sender) run(t *testing.T, ticks int) {
	t.Helper()
	for range ticks {
		s.deliver(false)
		s.step(t, 0)
	}
}

// On any link the consumed inputs are the sent ones, in order and each once. A missing input has a filler, and nothing is
// counted twice.
func TestInputsAreConsumedInOrder(t *testing.T) {
	for seed := range uint64(60) {
		s := newSender(t, seed, 1)
		s.loss, s.twice, s.delay = s.r.Float64()*0.6, s.r.Float64()*0.5, s.r.IntN(30)
		s.redundancy = 1 + s.r.IntN(wire.MaxRedundancy)
		var steps, real uint64
		last := uint32(0)
		for range 3000 {
			s.deliver(false)
			stepped, was := s.step(t, s.loss)
			if stepped {
				steps++
			}
			if was {
				if real++; s.buffer.expected <= last {
					t.Fatalf("seed %d: input %d after %d", seed, s.buffer.expected-1, last-1)
				}
				last = s.buffer.expected
			}
		}
		st := s.buffer.stats
		// A buffer that runs out while it is young takes the client for stalled.
		if st.Consumed != real || st.Consumed+st.Missing != steps || st.Resyncs > 1 || st.Late > st.Missing {
			t.Errorf("seed %d: %d steps of which %d real, counted %+v", seed, steps, real, st)
		}
		if s.redundancy > 16 && st.Consumed < 2900 {
			t.Errorf("seed %d: loss %.2f, redundancy %d, delay %d: %+v", seed, s.loss, s.redundancy, s.delay, st)
		}
	}
}

// On a link without loss nothing is filled in once the buffer is deep enough, and
// sequences wrap at 65,536 without anybody noticing.
func TestInputSequenceWraps(t *testing.T) {
	for _, first := range []uint32{1, 65_536, 131_000} {
		s := newSender(t, uint64(first), first)
		s.delay = 4
		// The server knows the client from before: sequences lift to the nearest.
		s.buffer.any, s.buffer.running = true, true
		s.buffer.expected, s.buffer.newest = first, first
		for n := range 70_000 {
			s.deliver(false)
			s.step(t, 0)
			if n == 3000 {
				s.buffer.stats = Stats{}
			}
		}
		st := s.buffer.stats
		if st.Missing+st.Late+st.Rejected+st.Resyncs > 0 || s.buffer.expected < first+69_000 {
			t.Errorf("from %d: %+v, expecting %d", first, st, s.buffer.expected)
		}
	}
}

func TestLateInputsAreCountedOnce(t *testing.T) {
	s := newSender(t, 1, 1)
	for range 5 {
		s.deliver(false)
	}
	for range 100 {
		s.tick++
		s.buffer.nextBuffered(s.tick, 0) // nothing comes any more
	}
	was := s.buffer.stats
	m := s.message(5) // all consumed
	s.buffer.receive(s.tick, &m, false)
	if st := s.buffer.stats; st.Late != was.Late {
		t.Errorf("consumed inputs came late: %+v", st)
	}
	s.newest = 12
	for range 3 {
		m = s.message(6) // 7 to 12, of which 7 to 12 had fillers
		s.buffer.receive(s.tick, &m, false)
	}
	if st := s.buffer.stats; st.Late != 6 || st.Resyncs != was.Resyncs {
		t.Errorf("six late inputs, three times: %+v", st)
	}
}

// Inputs far behind the expected one are refused. For inputs far ahead the client has jumped, and the buffer starts anew
// there.
func TestInputsOutsideTheWindow(t *testing.T) {
	s := newSender(t, 1, 1000)
	s.run(t, 50)
	at := s.buffer.expected
	far := wire.Input{Newest: uint16(at - minWindow - 1), Count: 1, Words: []int32{0}}
	s.buffer.receive(s.tick, &far, false)
	if st := s.buffer.stats; st.Rejected != 1 || s.buffer.expected != at {
		t.Errorf("far behind: %+v, expecting %d", st, s.buffer.expected)
	}
	ahead := wire.Input{Newest: uint16(at + minWindow - 1), Count: 1, Words: []int32{0}}
	s.buffer.receive(s.tick, &ahead, true)
	if s.buffer.stats.Resyncs != 0 || s.buffer.newest != at+minWindow-1 {
		t.Errorf("the last input of the window: %+v", s.buffer.stats)
	}
	beyond := wire.Input{Newest: uint16(at + 5000), Count: 1, Words: []int32{0}}
	s.buffer.receive(s.tick, &beyond, true)
	if s.buffer.stats.Resyncs != 1 || s.buffer.expected != at+5000 || s.buffer.running {
		t.Errorf("far ahead: %+v, expecting %d", s.buffer.stats, s.buffer.expected)
	}
	// A first message that reaches back before the first input is no message.
	b := newBuffer(numberedTable(t), 60, 1)
	b.receive(1, &wire.Input{Newest: 3, Count: 5, Words: make([]int32, 5)}, true)
	b.receive(1, &wire.Input{Newest: 0, Count: 1, Words: make([]int32, 1)}, true)
	if b.any || b.stats.Rejected != 6 {
		t.Errorf("from before the first input: %+v", b.stats)
	}
}

// A stalled client gets fillers. When it continues, its inputs count immediately, and none is lost.
func TestInputsAfterAStall(t *testing.T) {
	for _, stall := range []int{1, 5, 40, 200, 600} {
		s := newSender(t, uint64(stall), 1)
		s.run(t, 200)
		for n := range stall {
			s.deliver(true)
			s.step(t, 0)
			if fills := int(s.buffer.stats.Missing); s.buffer.isNeutral() != (s.buffer.fills > MaxFills) || fills > n+1 {
				t.Fatalf("stall %d: neutral %v after %d fills", stall, s.buffer.isNeutral(), s.buffer.fills)
			}
		}
		if long := stall >= 40; long != s.buffer.isNeutral() {
			t.Errorf("stall of %d ticks: neutral is %v", stall, s.buffer.isNeutral())
		}
		s.buffer.stats = Stats{}
		s.run(t, 200)
		if st := s.buffer.stats; st.Consumed < 180 || st.Missing > 6 || stall >= 40 && st.Resyncs != 1 {
			t.Errorf("after a stall of %d ticks: %+v", stall, st)
		}
		if s.buffer.isNeutral() {
			t.Errorf("after a stall of %d ticks the input is still neutral", stall)
		}
	}
}

// A link that stalls and then delivers everything has delayed the inputs, not the client: they are late, and the buffer stays
// as short as before.
func TestInputsAfterALinkHeldThemBack(t *testing.T) {
	for _, held := range []int{10, 60, 200} {
		for _, apart := range []bool{false, true} { // the oldest comes a tick before the rest
			s := newSender(t, uint64(held), 1)
			s.run(t, 200)
			depth := s.buffer.waiting()
			var late []wire.Input
			for range held {
				s.tick++
				s.newest++
				s.step(t, 0)
				late = append(late, s.message(8))
			}
			for i := range late {
				s.buffer.receive(s.tick, &late[i], true)
				if apart && i == 0 {
					s.tick++
					s.newest++
					s.step(t, 0)
				}
			}
			s.run(t, 120)
			if got := s.buffer.waiting(); got > depth+wire.MaxRedundancy || !apart && s.buffer.stats.Resyncs > 0 {
				t.Errorf("held %d ticks, oldest apart %v: %d wait, %d before; %+v", held, apart, got, depth, s.buffer.stats)
			}
		}
	}
}
