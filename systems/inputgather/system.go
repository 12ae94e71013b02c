package inputgather

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// System is the system InputGather: it asks the game for the input of the coming tick. Each tick has its own input.
type System struct {
	Log      *Log
	Gathered uint64 // number of inputs that were gathered

	gather, now func(unsafe.Pointer)
	table       *schema.Table
	frameInput  []uint64 // room for the input of a frame
	own         own
	gathering   bool // the game's function is running
}

// New returns the system for a log. gather fills in the input of a tick, now the input at a moment between ticks.
// Either may be nil.
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
		s.gathering = true
		s.gather(p)
		s.gathering = false
	}
	s.Log.Seal()
	s.Gathered++
}

// Gathering reports whether the game is filling in the input of a tick.
func (s *System) Gathering() bool { return s.gathering }

// Number returns the number in the log of the input that the game is filling in.
func (s *System) Number() uint32 {
	if s.own.run != nil && !s.own.pushed {
		return s.Log.Newest + 1
	}
	return s.Log.Newest
}

// At returns an input as the server will read it: the gathered one, or the current one if seq is not gathered yet.
// It returns nil if inputs are empty.
func (s *System) At(seq uint32) unsafe.Pointer {
	if seq <= s.Log.Newest {
		return s.Log.Value(seq)
	}
	return s.Now()
}

// Now returns the current input of the game, or nil if inputs are empty.
func (s *System) Now() unsafe.Pointer {
	if s.table.Size == 0 {
		return nil
	}
	s.frameInput = reuse.Slice(s.frameInput, int(s.table.Size+7)/8)
	clear(s.frameInput)
	p := unsafe.Pointer(&s.frameInput[0])
	s.now(p)
	s.table.Snap(p)
	return p
}

// Log stores the gathered inputs by sequence number, for sending and for simulating again.
type Log struct {
	table  *schema.Table
	values []byte // ring of component values
	words  []int32
	len    uint32
	Newest uint32 // sequence number of the newest input; 0: none
	First  uint32 // oldest sequence number that is stored
}

// NewLog returns a log of the newest n inputs. t is the table of the input.
func NewLog(t *schema.Table, n int) *Log {
	return &Log{
		table:  t,
		values: make([]byte, uintptr(n)*t.Size),
		words:  make([]int32, n*t.Words),
		len:    uint32(n),
		First:  1,
	}
}

// Push adds the next input and returns a pointer to its zero value.
func (l *Log) Push() unsafe.Pointer {
	l.Newest++
	l.First = max(l.First, l.Newest-min(l.Newest, l.len)+1)
	p := l.Value(l.Newest)
	if l.table.Size > 0 {
		clear(unsafe.Slice((*byte)(p), l.table.Size))
	}
	return p
}

// Seal quantizes the newest input, so that the client predicts with the input that the server will read.
func (l *Log) Seal() {
	p := l.Value(l.Newest)
	if l.table.Words == 0 {
		return
	}
	l.table.Quantize(l.Words(l.Newest), l.table.Words, p, 1)
	l.table.Dequantize(p, l.Words(l.Newest), l.table.Words, 1)
}

// Value returns a pointer to an input as a component, or nil if inputs are empty.
func (l *Log) Value(seq uint32) unsafe.Pointer {
	if l.table.Size == 0 {
		return nil
	}
	return unsafe.Pointer(&l.values[uintptr(seq%l.len)*l.table.Size])
}

// Words returns the words of an input.
func (l *Log) Words(seq uint32) []int32 {
	n := uint32(l.table.Words)
	i := seq % l.len * n
	return l.words[i : i+n]
}

// Jump continues at seq without the inputs in between, when the server is ahead.
func (l *Log) Jump(seq uint32) {
	if seq > l.Newest {
		l.Newest, l.First = seq, seq+1
	}
}

// Back removes the inputs after seq.
func (l *Log) Back(seq uint32) {
	if seq < l.Newest {
		l.Newest, l.First = seq, min(l.First, seq+1)
	}
}
