package systems

import (
	"testing"
)

// The log keeps the newest inputs, as the server will read them, and says which
// is the oldest.
func TestInputLogKeepsTheNewest(t *testing.T) {
	const n = 8
	l := newInputLog(tableFor[push](t), n)
	for seq := uint32(1); seq <= 100; seq++ {
		p := (*push)(l.push())
		if *p != (push{}) {
			t.Fatalf("input %d starts from %+v", seq, *p)
		}
		*p = push{DX: int8(seq%3) - 1, DY: 9, Fire: seq%2 == 0}
		l.seal()
		if l.newest != seq || l.first != max(seq, n)-n+1 {
			t.Fatalf("after %d: %d to %d", seq, l.first, l.newest)
		}
		for s := l.first; s <= seq; s++ {
			want := push{DX: int8(s%3) - 1, DY: 1, Fire: s%2 == 0} // 9 is outside the range
			if got := *(*push)(l.value(s)); got != want {
				t.Fatalf("after %d, input %d is %+v", seq, s, got)
			}
			if w := l.quantized(s); w[0] != int32(s%3) || w[1] != 2 {
				t.Fatalf("after %d, input %d travels as %d", seq, s, w)
			}
		}
	}
}

// After a jump nothing from before counts, and the sequence goes on.
func TestInputLogJump(t *testing.T) {
	l := newInputLog(tableFor[push](t), 8)
	for range 20 {
		l.push()
		l.seal()
	}
	l.jump(10) // never back
	if l.newest != 20 || l.first != 13 {
		t.Fatalf("%d to %d after a jump back", l.first, l.newest)
	}
	l.jump(500)
	if l.newest != 500 || l.first != 501 {
		t.Fatalf("%d to %d after a jump", l.first, l.newest)
	}
	for seq := uint32(501); seq < 520; seq++ {
		l.push()
		l.seal()
		if l.newest != seq || l.first != max(501, seq-7) {
			t.Fatalf("%d to %d at %d", l.first, l.newest, seq)
		}
	}
}

// A log of inputs without fields counts all the same.
func TestInputLogOfNothing(t *testing.T) {
	l := newInputLog(emptyTable, 8)
	for range 20 {
		if p := l.push(); p != nil {
			t.Fatal("an input without fields has a place")
		}
		l.seal()
	}
	if l.newest != 20 || len(l.quantized(20)) != 0 {
		t.Errorf("%d inputs, %v", l.newest, l.quantized(20))
	}
}
