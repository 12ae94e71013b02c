package rangecoder

import (
	"math/bits"
	"unsafe"
)

// Tally is a [Sink] that notes the bits of a body and which chances they have. It writes nothing.
type Tally struct {
	First *Chance  // contexts are indices from here
	Log   []uint32 // context<<1 | bit, in the order of coding
}

// Bit implements [Sink].
func (t *Tally) Bit(a, b *Chance, bit uint32) uint32 {
	t.note(a, bit)
	if a != b {
		t.note(b, bit)
	}
	return bit
}

// Number implements [Sink].
func (t *Tally) Number(a, b *Row, l *Lot, sign *Chance, v int32) int32 {
	mag, neg := uint32(v), uint32(0)
	if v < 0 {
		mag, neg = -mag, 1
	}
	n := bits.Len32(mag)
	for i := range n {
		i = min(i, RowSize-1)
		t.Bit(&a[i], &b[i], 1)
	}
	if n < 32 {
		i := min(n, RowSize-1)
		t.Bit(&a[i], &b[i], 0)
	}
	if n > 0 {
		t.note(sign, neg)
	}
	if n > 1 {
		m := l[4*min(n, RowSize-1):]
		top := mag >> (n - 2) & 1
		t.note(&m[0], top)
		if n > 2 {
			t.note(&m[1+top], mag>>(n-3)&1)
		}
	}
	return v
}

// Over implements [Sink].
func (t *Tally) Over() bool { return false }

// End implements [Sink].
func (t *Tally) End() error { return nil }

// Position implements [Sink].
func (t *Tally) Position() uint64 { return 0 }

func (t *Tally) note(at *Chance, bit uint32) {
	i := (uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(t.First))) / unsafe.Sizeof(*at)
	t.Log = append(t.Log, uint32(i)<<1|bit)
}
