package eventloop

import (
	"fmt"
	"strings"
	"testing"
)

// The outbox drops the oldest frame of which nothing has left, and never cuts one.
func TestOutbox(t *testing.T) {
	for _, c := range []struct {
		name    string
		taken   int // bytes that leave after the first push
		pushes  int
		dropped int
		want    string
	}{
		{"room", 0, 3, 0, "[0000][1111][2222]"},
		{"full", 0, 5, 2, "[2222][3333][4444]"},
		{"first one half sent", 2, 5, 2, "000][3333][4444]"},
		{"first one sent", 6, 4, 0, "[1111][2222][3333]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOutbox(3, new(framePool))
			dropped := 0
			for i := range c.pushes {
				if o.push(fmt.Appendf(o.buffer(), "[%s]", strings.Repeat(fmt.Sprint(i), 4))) {
					dropped++
				}
				if i == 0 && c.taken > 0 {
					o.advance(c.taken)
				}
			}
			var got []byte
			for b := o.next(); b != nil; b = o.next() {
				n := min(4, len(b))
				got = append(got, b[:n]...)
				o.advance(n)
			}
			if string(got) != c.want || dropped != c.dropped {
				t.Errorf("%s left, %d dropped; want %s, %d", got, dropped, c.want, c.dropped)
			}
		})
	}
}

// The rest of a partly written frame waits at any position. If there is no room for all frames, the oldest unwritten ones are
// dropped.
func TestOutboxTakesTheRest(t *testing.T) {
	const all = "[0000][1111][2222][3333][4444]"
	ends := []int{6, 12, 18, 24, 30}
	for most, kept := range map[int]int{5: 5, 3: 3} {
		for taken := range len(all) {
			o := newOutbox(most, new(framePool))
			dropped := o.pushUnwritten([]byte(all), ends, taken)
			var got []byte
			for b := o.next(); b != nil; b = o.next() {
				got = append(got, b...)
				o.advance(len(b))
			}
			want, frames := all[taken:], 5-taken/6
			if frames > kept {
				cut := len(want) % 6 // of the frame of which a part was taken
				if cut > 0 {
					want = want[:cut] + all[len(all)-6*(kept-1):]
				} else {
					want = all[len(all)-6*kept:]
				}
			}
			if string(got) != want || dropped != max(frames-kept, 0) {
				t.Errorf("room for %d, %d bytes taken: %s waits, %d dropped, want %s", most, taken, got, dropped, want)
			}
		}
	}
}

func TestOutboxAllocatesNothing(t *testing.T) {
	o := newOutbox(4, new(framePool))
	payload := make([]byte, 400)
	round := func() {
		for range 6 {
			o.push(appendFrame(o.buffer(), 2, payload))
		}
		for b := o.next(); b != nil; b = o.next() {
			o.advance(len(b))
		}
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Waiting frames take memory up to the limit of the outbox, and sent ones take none: connections share buffers, and a limited
// number is kept.
func TestOutboxesShareWhatTheyDoNotUse(t *testing.T) {
	spare := new(framePool)
	all := make([]outbox, 100)
	for i := range all {
		all[i] = newOutbox(64, spare)
		all[i].push(appendFrame(all[i].buffer(), 2, make([]byte, 400)))
		all[i].advance(len(all[i].next()))
		if len(all[i].ring) > minRing {
			t.Errorf("a ring of %d", len(all[i].ring))
		}
	}
	if len(spare.free) != 1 {
		t.Errorf("%d buffers for 100 connections, one after the other", len(spare.free))
	}
	for i := range all {
		for range 200 {
			all[i].push(appendFrame(all[i].buffer(), 2, make([]byte, 400)))
		}
		if n := len(all[i].ring); n != 64 || all[i].count != 64 {
			t.Fatalf("%d frames wait in a ring of %d", all[i].count, n)
		}
	}
	for i := range all {
		if all[i].clear(); all[i].next() != nil || all[i].ring != nil {
			t.Fatal("something is left")
		}
	}
	if n := len(spare.free); n != maxPooled {
		t.Errorf("%d buffers are kept", n)
	}
}
