package train

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/internal/rangecoder"
)

// tally is a [rangecoder.Sink] that notes the bits of a body and which chances they have. It writes nothing.
type tally struct {
	first *chance  // contexts are indices from here
	log   []uint32 // context<<1 | bit, in the order of coding
}

// Bit implements [rangecoder.Sink].
func (t *tally) Bit(a, b *chance, bit uint32) uint32 {
	t.note(a, bit)
	if a != b {
		t.note(b, bit)
	}
	return bit
}

// Number implements [rangecoder.Sink].
func (t *tally) Number(a, b *rangecoder.Row, l *rangecoder.Lot, sign *chance, v int32) int32 {
	mag, neg := uint32(v), uint32(0)
	if v < 0 {
		mag, neg = -mag, 1
	}
	n := bits.Len32(mag)
	for i := range n {
		i = min(i, rangecoder.RowSize-1)
		t.Bit(&a[i], &b[i], 1)
	}
	if n < 32 {
		i := min(n, rangecoder.RowSize-1)
		t.Bit(&a[i], &b[i], 0)
	}
	if n > 0 {
		t.note(sign, neg)
	}
	if n > 1 {
		m := l[4*min(n, rangecoder.RowSize-1):]
		top := mag >> (n - 2) & 1
		t.note(&m[0], top)
		if n > 2 {
			t.note(&m[1+top], mag>>(n-3)&1)
		}
	}
	return v
}

// Over implements [rangecoder.Sink].
func (t *tally) Over() bool { return false }

// End implements [rangecoder.Sink].
func (t *tally) End() error { return nil }

// Position implements [rangecoder.Sink].
func (t *tally) Position() uint64 { return 0 }

func (t *tally) note(at *chance, bit uint32) {
	i := (uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(t.first))) / unsafe.Sizeof(*at)
	t.log = append(t.log, uint32(i)<<1|bit)
}
