package inputgather

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

// Log keeps the inputs that a client gathered, for sending again and for
// re-simulating, by sequence.
type Log struct {
	table  *schema.Table
	values []byte // ring of component values
	words  []int32
	len    uint32
	Newest uint32 // sequence of the last input gathered; 0: none
	First  uint32 // oldest sequence that is valid
}

// NewLog returns a log of the newest n inputs, which t describes.
func NewLog(t *schema.Table, n int) *Log {
	return &Log{
		table:  t,
		values: make([]byte, uintptr(n)*t.Size),
		words:  make([]int32, n*t.Words),
		len:    uint32(n),
		First:  1,
	}
}

// Push opens the next sequence and returns the zero value to fill.
func (l *Log) Push() unsafe.Pointer {
	l.Newest++
	l.First = max(l.First, l.Newest-min(l.Newest, l.len)+1)
	p := l.Value(l.Newest)
	if l.table.Size > 0 {
		clear(unsafe.Slice((*byte)(p), l.table.Size))
	}
	return p
}

// Seal quantizes the newest input, so that the client predicts with exactly
// what the server will read.
func (l *Log) Seal() {
	p := l.Value(l.Newest)
	if l.table.Words == 0 {
		return
	}
	l.table.Quantize(l.Words(l.Newest), l.table.Words, p, 1)
	l.table.Dequantize(p, l.Words(l.Newest), l.table.Words, 1)
}

// Value is where an input is kept as a component; nil when inputs are empty.
func (l *Log) Value(seq uint32) unsafe.Pointer {
	if l.table.Size == 0 {
		return nil
	}
	return unsafe.Pointer(&l.values[uintptr(seq%l.len)*l.table.Size])
}

// Words is an input in words.
func (l *Log) Words(seq uint32) []int32 {
	n := uint32(l.table.Words)
	i := seq % l.len * n
	return l.words[i : i+n]
}

// Jump moves on to seq without inputs in between, when the server is ahead.
func (l *Log) Jump(seq uint32) {
	if seq > l.Newest {
		l.Newest, l.First = seq, seq+1
	}
}

// Back forgets the inputs behind seq.
func (l *Log) Back(seq uint32) {
	if seq < l.Newest {
		l.Newest, l.First = seq, min(l.First, seq+1)
	}
}
