package inflight

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// An item is sent immediately and then again after a wait, until a packet with it is acknowledged. Items without room follow
// when the earlier ones have arrived.
func TestListGoesOutUntilItIsAcknowledged(t *testing.T) {
	var l List
	var packets [][]byte
	now := time.Unix(0, 0)
	send := func() {
		if l.Due(now, time.Second) {
			l.Send(nil, 9, now, func(b []byte) (uint16, bool) {
				packets = append(packets, slices.Clone(b))
				return uint16(len(packets)), true
			})
		}
	}
	send()
	add := func(size int) bool {
		return l.Add(func(b []byte) []byte { return append(b, make([]byte, size)...) })
	}
	add(400)
	add(400)
	add(400)
	send()
	send()
	if len(packets) != 1 || len(packets[0]) != 802 {
		t.Fatalf("%d packets", len(packets))
	}
	now = now.Add(time.Second)
	send()
	if len(packets) != 2 {
		t.Fatalf("%d packets after the wait", len(packets))
	}
	for i, seq := range []uint16{7, 1, 1, 2} {
		if l.Acked(seq); l.Waiting() != [...]int{3, 1, 1, 1}[i] {
			t.Errorf("%d wait after an acknowledgement of packet %d", l.Waiting(), seq)
		}
	}
	send()
	if want := codec.AppendUvarint([]byte{9}, 3); len(packets) != 3 || !slices.Equal(packets[2][:2], want) {
		t.Errorf("%x", packets[2][:2])
	}
	for range Waiting - 1 {
		add(1)
	}
	if add(1) {
		t.Error("there was room for one more than wait")
	}
}

// The memory of a list follows the number of waiting items: none at rest, and at most the limit. A list that has reached its
// size allocates nothing.
func TestListGrowsWithWhatWaits(t *testing.T) {
	var l List
	now, seq := time.Unix(0, 0), uint16(0)
	if len(l.waiting)+len(l.packets) > 0 {
		t.Error("a list at rest has room")
	}
	dst := make([]byte, 0, 2000)
	next := 0
	turn := func(entries int) {
		for range entries {
			if l.Add(func(b []byte) []byte { return append(b, byte(next)) }) {
				next++
			}
		}
		l.Send(dst[:0], 9, now, func([]byte) (uint16, bool) { seq++; return seq, true })
		l.Acked(seq)
		now = now.Add(time.Second)
	}
	for n := range 200 {
		turn(n % 4)
	}
	if len(l.waiting) > 4 || next != 300 || l.Waiting() != 0 {
		t.Errorf("room for %d, %d of %d wait", len(l.waiting), l.Waiting(), next)
	}
	if n := testing.AllocsPerRun(100, func() { turn(3) }); n > 0 {
		t.Errorf("%v allocations a packet", n)
	}
	turn(3 * Waiting)
	if len(l.waiting) != Waiting || len(l.packets) != Waiting || l.Waiting() != 0 {
		t.Errorf("room for %d and %d packets; %d of %d wait", len(l.waiting), len(l.packets), l.Waiting(), next)
	}
}
