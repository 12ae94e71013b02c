package rooms

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Carry is a component that players carry from room to room: see [Kind].Carries.
type Carry struct {
	name      string
	size      int    // in bytes
	shape     string // its fields, in order
	component func(p *ecs.Protocol) *ecs.Component
	detach    func(w *ecs.World, e ecs.Entity, dst []byte) (b []byte, has bool)
	attach    func(w *ecs.World, e ecs.Entity, b []byte)
}

// Carries returns a Carry of the component T, whose fields must have a fixed size. The value is taken from the player's
// oldest entity with T, and sent unrounded.
func Carries[T any]() Carry {
	t := reflect.TypeFor[T]()
	var zero T
	return Carry{
		name: t.Name(), size: binary.Size(zero), shape: shapeOf(t), component: ecs.ComponentOf[T],
		detach: func(w *ecs.World, e ecs.Entity, dst []byte) ([]byte, bool) {
			v := ecs.Get[T](w, e)
			if v == nil {
				return dst, false
			}
			dst, _ = binary.Append(dst, binary.LittleEndian, *v) // it has a size
			ecs.Remove[T](w, e)
			return dst, true
		},
		attach: func(w *ecs.World, e ecs.Entity, b []byte) {
			var v T
			_, _ = binary.Decode(b, binary.LittleEndian, &v) // its length was checked
			ecs.Add(w, e, v)
		},
	}
}

// shapeOf returns the names and types of a type's fields as text.
func shapeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		var text strings.Builder
		text.WriteString("{")
		for f := range t.Fields() {
			text.WriteString(f.Name + " " + shapeOf(f.Type) + ";")
		}
		return text.String() + "}"
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), shapeOf(t.Elem()))
	}
	return t.Kind().String()
}

// hash returns a hash of the name and the shape, which other builds compare.
func (c *Carry) hash() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.name + c.shape))
	return h.Sum32()
}

// check returns an error that wraps ErrCarries if players of a protocol cannot carry the component.
func (c *Carry) check(p *ecs.Protocol) error {
	of := c.component(p)
	switch {
	case of == nil:
		return fmt.Errorf("%w: the protocol has no %s: register it with ecs.Replicate or ecs.Local", ErrCarries, c.name)
	case of == p.Input() || of == ecs.ComponentOf[components.Owner](p):
		return fmt.Errorf("%w: %s is the room's own, and made by it", ErrCarries, c.name)
	case c.size < 0:
		return fmt.Errorf("%w: %s has a field without a size, such as int: write int32 or int64", ErrCarries, c.name)
	case len(c.name) > maxCarryName || c.size > maxCarrySize:
		return fmt.Errorf("%w: %.40q of %d bytes: names have %d at most, and values %d", ErrCarries, c.name, c.size, maxCarryName, maxCarrySize)
	}
	return nil
}

// checkSame returns an error that wraps ErrCarries if two components have the same name but different shapes.
func (c *Carry) checkSame(other *Carry) error {
	if c.name == other.name && c.shape != other.shape {
		return fmt.Errorf("%w: %s is %s here and %s there: make them one type", ErrCarries, c.name, c.shape, other.shape)
	}
	return nil
}
