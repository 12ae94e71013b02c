package goods

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// ErrComponent is wrapped by errors about components that cannot be carried.
var ErrComponent = errors.New("rooms: no component to carry")

// Component is one that players carry.
type Component struct {
	Name  string
	Size  int    // in bytes
	shape string // its fields, in order
	of    func(p *ecs.Protocol) *ecs.Component
	take  func(w *ecs.World, e ecs.Entity, dst []byte) (b []byte, has bool)
	give  func(w *ecs.World, e ecs.Entity, b []byte)
}

// Of is the component T.
func Of[T any]() Component {
	t := reflect.TypeFor[T]()
	var zero T
	return Component{
		Name: t.Name(), Size: binary.Size(zero), shape: shape(t), of: ecs.ComponentOf[T],
		take: func(w *ecs.World, e ecs.Entity, dst []byte) ([]byte, bool) {
			v := ecs.Get[T](w, e)
			if v == nil {
				return dst, false
			}
			dst, _ = binary.Append(dst, binary.LittleEndian, *v) // it has a size
			ecs.Remove[T](w, e)
			return dst, true
		},
		give: func(w *ecs.World, e ecs.Entity, b []byte) {
			var v T
			_, _ = binary.Decode(b, binary.LittleEndian, &v) // its length was checked
			ecs.Add(w, e, v)
		},
	}
}

// shape is the fields of a type, and those of these, as text.
func shape(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		var text strings.Builder
		text.WriteString("{")
		for f := range t.Fields() {
			text.WriteString(f.Name + " " + shape(f.Type) + ";")
		}
		return text.String() + "}"
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), shape(t.Elem()))
	}
	return t.Kind().String()
}

// sum is a hash of the shape, for other builds.
func (c *Component) sum() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.Name + c.shape))
	return h.Sum32()
}

// Check returns an error that wraps ErrComponent where players of a protocol cannot carry it.
func (c *Component) Check(p *ecs.Protocol) error {
	of := c.of(p)
	switch {
	case of == nil:
		return fmt.Errorf("%w: the protocol has no %s: register it with ecs.Replicate or ecs.Local", ErrComponent, c.Name)
	case of == p.Input() || of == ecs.ComponentOf[components.Owner](p):
		return fmt.Errorf("%w: %s is the room's own, and made by it", ErrComponent, c.Name)
	case c.Size < 0:
		return fmt.Errorf("%w: %s has a field without a size, such as int: write int32 or int64", ErrComponent, c.Name)
	case len(c.Name) > maxName || c.Size > maxSize:
		return fmt.Errorf("%w: %.40q of %d bytes: names have %d at most, and values %d", ErrComponent, c.Name, c.Size, maxName, maxSize)
	}
	return nil
}

// Suits returns an error that wraps ErrComponent where two components have one name and are not alike.
func (c *Component) Suits(other *Component) error {
	if c.Name == other.Name && c.shape != other.shape {
		return fmt.Errorf("%w: %s is %s here and %s there: make them one type", ErrComponent, c.Name, c.shape, other.shape)
	}
	return nil
}
