package inputgather

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// System is the system InputGather: it asks the game for the input of the coming tick. Two
// ticks never share one input.
type System struct {
	Log      *Log
	Gathered uint64 // inputs that the game was asked for

	gather, now func(unsafe.Pointer)
	table       *schema.Table
	asked       []uint64 // room for the input of a frame
	own         own
}

// New returns the system for a log. gather fills the input of a tick, and now that of a moment
// between ticks; either may be nil.
func New(log *Log, gather, now func(unsafe.Pointer)) *System {
	return &System{Log: log, gather: gather, now: now, table: log.table}
}

// Run is the system.
func (s *System) Run(w *ecs.World) {
	if s.own.run != nil {
		s.runOwn(w)
		return
	}
	p := s.Log.Push()
	if s.gather != nil {
		s.gather(p)
	}
	s.Log.Seal()
	s.Gathered++
}

// At is an input as the server will read it: the one that was gathered, or what the game says
// now. It is nil when inputs are empty.
func (s *System) At(seq uint32) unsafe.Pointer {
	if seq <= s.Log.Newest {
		return s.Log.Value(seq)
	}
	return s.Now()
}

// Now is what the game says is the input now; nil when inputs are empty.
func (s *System) Now() unsafe.Pointer {
	if s.table.Size == 0 {
		return nil
	}
	s.asked = reuse.Slice(s.asked, int(s.table.Size+7)/8)
	clear(s.asked)
	p := unsafe.Pointer(&s.asked[0])
	s.now(p)
	s.table.Snap(p)
	return p
}

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
