package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

// inputLog keeps the inputs that a client gathered, for sending again and for
// re-simulating, by sequence.
type inputLog struct {
	table  *schema.Table
	values []byte // ring of component values
	words  []int32
	len    uint32
	newest uint32 // sequence of the last input gathered; 0: none
	first  uint32 // oldest sequence that is valid
}

func newInputLog(t *schema.Table, n int) *inputLog {
	return &inputLog{
		table:  t,
		values: make([]byte, uintptr(n)*t.Size),
		words:  make([]int32, n*t.Words),
		len:    uint32(n),
		first:  1,
	}
}

// push opens the next sequence and returns the zero value to fill.
func (l *inputLog) push() unsafe.Pointer {
	l.newest++
	l.first = max(l.first, l.newest-min(l.newest, l.len)+1)
	p := l.value(l.newest)
	if l.table.Size > 0 {
		clear(unsafe.Slice((*byte)(p), l.table.Size))
	}
	return p
}

// seal quantizes the newest input, so that the client predicts with exactly
// what the server will read.
func (l *inputLog) seal() {
	p := l.value(l.newest)
	if l.table.Words == 0 {
		return
	}
	l.table.Quantize(l.quantized(l.newest), l.table.Words, p, 1)
	l.table.Dequantize(p, l.quantized(l.newest), l.table.Words, 1)
}

// value is where an input is kept as a component; nil when inputs are empty.
func (l *inputLog) value(seq uint32) unsafe.Pointer {
	if l.table.Size == 0 {
		return nil
	}
	return unsafe.Pointer(&l.values[uintptr(seq%l.len)*l.table.Size])
}

// quantized is an input in words.
func (l *inputLog) quantized(seq uint32) []int32 {
	n := uint32(l.table.Words)
	i := seq % l.len * n
	return l.words[i : i+n]
}

// jump moves on to seq without inputs in between, when the server is ahead.
func (l *inputLog) jump(seq uint32) {
	if seq > l.newest {
		l.newest, l.first = seq, seq+1
	}
}

// back forgets the inputs behind seq.
func (l *inputLog) back(seq uint32) {
	if seq < l.newest {
		l.newest, l.first = seq, min(l.first, seq+1)
	}
}
