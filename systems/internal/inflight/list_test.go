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
	var l List[int]
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
	add := func(v, size int) bool {
		return l.Add(v, func(b []byte) []byte { return append(b, make([]byte, size)...) })
	}
	add(1, 400)
	add(2, 400)
	add(3, 400)
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
	var heard []int
	for _, seq := range []uint16{7, 1, 1, 2} {
		l.Acked(seq, func(v *int) { heard = append(heard, *v) })
	}
	if !slices.Equal(heard, []int{1, 2}) || l.Waiting() != 1 {
		t.Errorf("heard %v, %d wait", heard, l.Waiting())
	}
	send()
	if want := codec.AppendUvarint([]byte{9}, 3); len(packets) != 3 || !slices.Equal(packets[2][:2], want) {
		t.Errorf("%x", packets[2][:2])
	}
	for n := 1; n < Waiting; n++ {
		add(n, 1)
	}
	if add(0, 1) {
		t.Error("there was room for one more than wait")
	}
}

// The memory of a list follows the number of waiting items: none at rest, and at most the limit. A list that has reached its
// size allocates nothing.
func TestListGrowsWithWhatWaits(t *testing.T) {
	var l List[int]
	now, seq := time.Unix(0, 0), uint16(0)
	if len(l.waiting)+len(l.packets) > 0 {
		t.Error("a list at rest has room")
	}
	dst := make([]byte, 0, 2000)
	next, heard := 0, 0
	turn := func(entries int) {
		for range entries {
			if l.Add(next, func(b []byte) []byte { return append(b, byte(next)) }) {
				next++
			}
		}
		l.Send(dst[:0], 9, now, func([]byte) (uint16, bool) { seq++; return seq, true })
		l.Acked(seq, func(v *int) {
			if *v != heard {
				t.Fatalf("heard %d in the place of %d", *v, heard)
			}
			heard++
		})
		now = now.Add(time.Second)
	}
	for n := range 200 {
		turn(n % 4)
	}
	if len(l.waiting) > 4 || heard != 300 {
		t.Errorf("room for %d, heard %d", len(l.waiting), heard)
	}
	if n := testing.AllocsPerRun(100, func() { turn(3) }); n > 0 {
		t.Errorf("%v allocations a packet", n)
	}
	turn(3 * Waiting)
	if len(l.waiting) != Waiting || len(l.packets) != Waiting || heard != next {
		t.Errorf("room for %d and %d packets; heard %d of %d", len(l.waiting), len(l.packets), heard, next)
	}
}
