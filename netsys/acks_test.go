package netsys

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The history agrees with a plain set of everything ever received, over wraps, gaps and jumps of any size.
func TestReceiveHistoryAgainstModel(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 0))
		h := newReceiveHistory()
		seen := make(map[int]bool) // by full number
		newest := -1
		for step := range 20_000 {
			at := time.Duration(step) * time.Millisecond
			var full int
			switch random.IntN(100) {
			case 0:
				full = newest + 1 + random.IntN(1200)
			case 1:
				full = newest + 1 + random.IntN(30_000)
			case 2, 3:
				full = max(0, newest-random.IntN(1000))
			default:
				full = max(0, newest-8+random.IntN(20))
			}
			got, drop := h.accept(uint16(full), at)
			want := DropNone
			switch {
			case newest-full >= receiveWindow:
				want = DropStale
			case seen[full]:
				want = DropDuplicate
			}
			if drop != want || drop == DropNone && got != (full > newest) {
				t.Fatalf("seed %d: %d after %d: newest %v, %v; want %v", seed, full, newest, got, drop, want)
			}
			if drop == DropNone {
				seen[full] = true
				newest = max(newest, full)
			}
			if h.newest != uint16(newest) {
				t.Fatalf("newest %d, want %d", h.newest, uint16(newest))
			}
			for i := range 32 {
				if bit := h.bits>>i&1 == 1; bit != (newest-1-i >= 0 && seen[newest-1-i]) {
					t.Fatalf("seed %d: bit %d of the acknowledgement is %v at %d", seed, i, bit, newest)
				}
			}
			h.update(at)
			if d := distance(h.newest, h.settled); d < -1 || d >= receiveWindow {
				t.Fatalf("%d unsettled", d)
			}
		}
	}
}

// Every sequence is counted once, as received or as lost.
func TestLossCountsEachSequenceOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	h := newReceiveHistory()
	sent, lost := 0, 0
	for i := range 300 {
		at := time.Duration(i) * time.Second / 60
		sent++
		if random.IntN(10) == 0 {
			lost++
			continue
		}
		if _, drop := h.accept(uint16(i), at); drop != DropNone {
			t.Fatal(drop)
		}
		h.update(at)
	}
	last := int(h.newest) + 1
	h.update(6 * time.Second)
	if counted, missing := h.loss.Counts(6 * time.Second); counted != uint64(last) || missing != uint64(lost-(sent-last)) {
		t.Errorf("%d counted, %d missing; sent %d, lost %d", counted, missing, last, lost)
	}
}

func TestSendHistory(t *testing.T) {
	h := &sendHistory{}
	if h.ack(0) != nil || h.ack(1<<16-1) != nil {
		t.Error("acknowledged before anything was sent")
	}
	for i := range 200_000 {
		seq := h.add(time.Duration(i), true)
		if int(seq) != i%(1<<16) {
			t.Fatalf("number %d at %d", seq, i)
		}
		if i >= sentWindow && h.ack(seq-sentWindow) != nil {
			t.Fatal("acknowledged outside the window")
		}
		if h.ack(seq+1) != nil {
			t.Fatal("acknowledged before it was sent")
		}
		if old := seq - uint16(i%100); i >= 100 {
			if first, again := h.ack(old), h.ack(old); first != nil && first.seq != old || again != nil {
				t.Fatalf("%d: %v, then %v", old, first, again)
			}
		}
	}
}

// A packet from a peer that has heard nothing acknowledges nothing, whatever its other fields say.
func TestNothingHeardAcknowledgesNothing(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	s := m.client.session
	m.send(s, "x")
	packet := make([]byte, headerSize)
	header{kind: kindDatagram, seq: m.atServer.last.(*session).out.next, ack: s.out.next - 1, bits: 1<<32 - 1, delay: nothingHeard}.put(packet)
	before := m.atClient.acked
	s.carrier.handler, s.carrier.datagram = &m.atClient, Datagram{At: m.now, Data: packet}
	if drop := s.receive(m.now, packet); drop != DropNone {
		t.Fatal(drop)
	}
	if m.atClient.acked != before {
		t.Error("a void acknowledgement counted")
	}
}
