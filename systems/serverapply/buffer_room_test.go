package serverapply

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// wideBuffer has room for the whole window from the begin.
func wideBuffer(t testing.TB) *buffer {
	b := newBuffer(numberedTable(t), 60, 1)
	b.seqs, b.words = make([]uint32, minWindow), make([]int32, minWindow*b.table.Words)
	return b
}

// The memory of a buffer does not affect its decisions under losses, bursts, stalls, jumps and packets that are late by any
// number of ticks.
func TestRoomChangesNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		grows, wide := newBuffer(numberedTable(t), 60, 1), wideBuffer(t)
		grows.superseding, wide.superseding = seed%2 == 0, seed%2 == 0
		newest, rude := uint32(500), seed%3 == 0
		stalled := 0
		for tick := range int64(2000) {
			if stalled--; stalled < 0 && r.IntN(400) == 0 {
				stalled = r.IntN(200)
			}
			for range r.IntN(3) {
				if stalled > 0 {
					break
				}
				newest++
				switch {
				case r.IntN(300) == 0:
					newest += uint32(r.IntN(300))
				case rude && r.IntN(30) == 0:
					newest += uint32(r.IntN(400))
				}
				at, first := newest, r.IntN(10) > 0
				switch {
				case r.IntN(20) == 0:
					at, first = at-uint32(r.IntN(30)), false
				case rude && r.IntN(30) == 0:
					at, first = at-uint32(r.IntN(400)), false
				}
				m := wire.Input{Newest: uint16(at), Count: 1 + r.IntN(12)}
				for i := range m.Count {
					m.Words = append(m.Words, int32(uint16(at-uint32(m.Count-1-i))))
				}
				grows.receive(tick, &m, first)
				wide.receive(tick, &m, first)
			}
			grows.finishReceive(tick)
			wide.finishReceive(tick)
			step, words := grows.nextBuffered(tick, 0.02)
			step2, words2 := wide.nextBuffered(tick, 0.02)
			late, late2 := grows.takeSuperseding(), wide.takeSuperseding()
			if step != step2 || !reflect.DeepEqual(words, words2) || len(late) != len(late2) || grows.stats != wide.stats || grows.expected != wide.expected {
				t.Fatalf("seed %d, tick %d: input %d, %v %v %+v\nwith all the room: input %d, %v %v %+v", seed, tick,
					grows.expected, step, words, grows.stats, wide.expected, step2, words2, wide.stats)
			}
		}
	}
}

// The memory of a buffer follows the number of waiting inputs: none at first, and at most the window, however far ahead a
// client claims to be. Fillers need no memory and are known for the window.
func TestRoomFollowsWhatWaits(t *testing.T) {
	s := newSender(t, 4, 1)
	if n := len(s.buffer.seqs); n > 0 {
		t.Errorf("room for %d inputs of a client that has sent none", n)
	}
	s.loss, s.redundancy, s.delay = 0.3, 1, 2
	s.run(t, 2000)
	if n := len(s.buffer.seqs); n > 2*minRing || s.buffer.stats.Missing < 100 {
		t.Errorf("room for %d inputs: %+v", n, s.buffer.stats)
	}
	if n := testing.AllocsPerRun(100, func() { s.buffer.consume() }); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
	b := s.buffer
	for range 2 * minWindow {
		b.consume()
	}
	late := b.stats.Late
	b.newest = b.expected
	for _, back := range []uint32{minWindow, minWindow + 1} {
		m := wire.Input{Newest: uint16(b.expected - back), Count: 1, Words: []int32{0}}
		b.receive(s.tick, &m, false)
	}
	if n := b.stats.Late - late; n != 1 {
		t.Errorf("%d of two inputs came late: one of the window, one from before", n)
	}
	for ahead := range uint32(minWindow) {
		m := wire.Input{Newest: uint16(b.expected + ahead), Count: 1, Words: []int32{0}}
		b.receive(s.tick, &m, true)
	}
	if n := len(b.seqs); n != minWindow {
		t.Errorf("room for %d inputs of a client that is far ahead", n)
	}
}
