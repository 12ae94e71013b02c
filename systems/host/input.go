package host

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Input says what an input is. Make one with [InputOf].
type Input struct {
	gather func(h *Host, tick bool) systems.GatherFunc
	fills  bool
}

// InputOf is the input T of a protocol, given as bytes. fill, which may be nil, makes complete what the host gave, before
// each tick, and before each frame where Config.Partial is set; in holds what the host gave. It is what systems.Gather
// calls, with the same rules. An input with a lagcomp.Claim needs one:
//
//	host.InputOf(func(c *systems.Client, in *Action) { in.Seen = c.Claim(in.Buttons&Fire != 0) })
func InputOf[T any](fill func(c *systems.Client, in *T)) Input {
	return Input{fills: fill != nil, gather: func(h *Host, tick bool) systems.GatherFunc {
		return systems.Gather(func(c *systems.Client, in *T) {
			h.input.take(unsafe.Pointer(in), tick)
			if fill != nil {
				fill(c, in)
			}
		})
	}}
}

// inputState is the input as the host gave it last.
type inputState struct {
	table *schema.Table // nil: the protocol has no input
	clean cleaner
	value []uint64 // what the next tick gets
	next  []uint64 // scratch
}

// newInputState makes the neutral input of a protocol. The error says what a host has to fill in.
func newInputState(p *ecs.Protocol, in Input) (inputState, error) {
	c := p.Input()
	if c == nil {
		return inputState{}, nil
	}
	t := c.Schema
	if path := claimIn(t.Type, ""); path != "" && in.gather != nil && !in.fills {
		return inputState{}, fmt.Errorf("%w: the input %s has a lagcomp.Claim in %s, which a host cannot give: fill it in InputOf, with Client.Claim", ErrConfig, t.Name, path)
	}
	words := int(t.Size+7) / 8
	s := inputState{table: t, clean: cleanerOf(t), value: make([]uint64, words), next: make([]uint64, words)}
	t.Snap(unsafe.Pointer(unsafe.SliceData(s.value)))
	return s, nil
}

// claimIn is the path of the first claim in a type, "" where there is none.
func claimIn(t reflect.Type, path string) string {
	switch {
	case t == reflect.TypeFor[lagcomp.Claim]():
		return strings.TrimPrefix(path, ".")
	case t.Kind() == reflect.Array:
		return claimIn(t.Elem(), path+"[0]")
	case t.Kind() == reflect.Struct:
		for field := range t.Fields() {
			if found := claimIn(field.Type, path+"."+field.Name); found != "" {
				return found
			}
		}
	}
	return ""
}

// give takes an input as bytes. Presses that no tick has had yet stay pressed.
func (s *inputState) give(b []byte) error {
	if s.table == nil || len(b) != int(s.table.Size) {
		return fmt.Errorf("%w: an input of %d bytes; this game's have %d", ErrValue, len(b), s.size())
	}
	if len(b) == 0 {
		return nil
	}
	p, old := unsafe.Pointer(&s.next[0]), unsafe.Pointer(&s.value[0])
	s.clean.read(p, b)
	for i := range s.table.Fields {
		if f := &s.table.Fields[i]; f.Edge && f.Len == 1 {
			keepPress(f, p, old)
		}
	}
	s.table.Snap(p)
	copy(s.value, s.next)
	return nil
}

// keepPress makes a press that waits for its tick survive an input without it.
func keepPress(f *schema.Field, p, old unsafe.Pointer) {
	n := int(reflectSize(f.Kind))
	now, was := unsafe.Slice((*byte)(unsafe.Add(p, f.Offset)), n), unsafe.Slice((*byte)(unsafe.Add(old, f.Offset)), n)
	switch {
	case f.Form == schema.FormFlags || f.Kind == reflect.Bool:
		for i := range now {
			now[i] |= was[i]
		}
	case !nonzero(now):
		copy(now, was)
	}
}

func nonzero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return true
		}
	}
	return false
}

// take hands the input out; a tick uses its presses up.
func (s *inputState) take(dst unsafe.Pointer, tick bool) {
	if len(s.value) == 0 {
		return
	}
	p := unsafe.Pointer(&s.value[0])
	copy(unsafe.Slice((*byte)(dst), s.table.Size), unsafe.Slice((*byte)(p), s.table.Size))
	if tick {
		s.table.ClearEdges(p)
	}
}

// size is the length of an input in bytes.
func (s *inputState) size() int {
	if s.table == nil {
		return 0
	}
	return int(s.table.Size)
}
