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

	gather, now func(*ecs.World, unsafe.Pointer)
	table       *schema.Table
	asked       []uint64 // room for the input of a frame
	own         own
}

// New returns the system for a log. gather fills the input of a tick, and now that of a moment
// between ticks; either may be nil.
func New(log *Log, gather, now func(*ecs.World, unsafe.Pointer)) *System {
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
		s.gather(w, p)
	}
	s.Log.Seal()
	s.Gathered++
}

// At is an input as the server will read it: the one that was gathered, or what the game says
// now. It is nil when inputs are empty.
func (s *System) At(w *ecs.World, seq uint32) unsafe.Pointer {
	if seq <= s.Log.Newest {
		return s.Log.Value(seq)
	}
	return s.Now(w)
}

// Now is what the game says is the input now; nil when inputs are empty.
func (s *System) Now(w *ecs.World) unsafe.Pointer {
	if s.table.Size == 0 {
		return nil
	}
	s.asked = reuse.Slice(s.asked, int(s.table.Size+7)/8)
	clear(s.asked)
	p := unsafe.Pointer(&s.asked[0])
	s.now(w, p)
	s.table.Snap(p)
	return p
}
