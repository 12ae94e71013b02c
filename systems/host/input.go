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

// Input describes the input type of a host. Make it with [InputOf].
type Input struct {
	gather func(h *Host, tick bool) systems.GatherFunc
	fills  bool
}

// InputOf describes the input T of a protocol, which the host passes as bytes. fill may be nil. Otherwise it runs before
// each tick, and before each frame if Config.Partial is set, to complete the host's input in. It follows the rules of the
// function passed to systems.Gather. An input with a lagcomp.Claim needs a fill:
//
//	host.InputOf(func(c *systems.Client, in *Action) { in.Seen = c.Claim(in.Buttons&Fire != 0) })
func InputOf[T any](fill func(c *systems.Client, in *T)) Input {
	return Input{fills: fill != nil, gather: func(h *Host, tick bool) systems.GatherFunc {
		return systems.Gather(func(c *systems.Client, in *T) {
			h.input.consume(unsafe.Pointer(in), tick)
			if fill != nil {
				fill(c, in)
			}
		})
	}}
}

// inputState holds the host's newest input.
type inputState struct {
	table *schema.Table // nil if the protocol has no input
	clean sanitizer
	value []uint64 // input of the next tick
	next  []uint64 // scratch
}

// newInputState returns the neutral input of a protocol. It returns an error if the input has a lagcomp.Claim and in has no
// fill.
func newInputState(p *ecs.Protocol, in Input) (inputState, error) {
	c := p.Input()
	if c == nil {
		return inputState{}, nil
	}
	t := c.Schema
	if path := claimIn(t.Type, ""); path != "" && in.gather != nil && !in.fills {
		return inputState{}, fmt.Errorf("%w: the input %s has a lagcomp.Claim in %s, which a host cannot set: pass a function to InputOf that sets it with Client.Claim", ErrConfig, t.Name, path)
	}
	words := int(t.Size+7) / 8
	s := inputState{table: t, clean: newSanitizer(t), value: make([]uint64, words), next: make([]uint64, words)}
	t.Snap(unsafe.Pointer(unsafe.SliceData(s.value)))
	return s, nil
}

// claimIn returns the path of the first lagcomp.Claim in a type, or "".
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

// set sets the input from bytes. Presses that no tick has consumed stay pressed.
func (s *inputState) set(b []byte) error {
	if s.table == nil || len(b) != int(s.table.Size) {
		return fmt.Errorf("%w: an input has %d bytes: pass the %d bytes of the game's input", ErrValue, len(b), s.size())
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

// keepPress copies a press from old to p if p has none in the field f.
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

// consume copies the input to dst. For a tick it also clears the presses.
func (s *inputState) consume(dst unsafe.Pointer, tick bool) {
	if len(s.value) == 0 {
		return
	}
	p := unsafe.Pointer(&s.value[0])
	copy(unsafe.Slice((*byte)(dst), s.table.Size), unsafe.Slice((*byte)(p), s.table.Size))
	if tick {
		s.table.ClearEdges(p)
	}
}

// size returns the length of an input in bytes.
func (s *inputState) size() int {
	if s.table == nil {
		return 0
	}
	return int(s.table.Size)
}
