package interest

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
)

// Grid is the interest in entities near the client's own entities. T is a position component.
type Grid[T any] struct {
	Cell   float64
	Radius float64
	Leave  float64
	Eyes   Interest
}

// defaultLeave is the default of Leave, as a multiple of Radius.
const defaultLeave = 1.2

// Check returns an error that wraps [ErrInterest] if a distance of the Grid is invalid.
func (g *Grid[T]) Check() error {
	of := typeName[T]()
	switch {
	case g == nil:
		return fmt.Errorf("%w: Grid[%s] is nil; give a pointer to one, or leave the interest nil", ErrInterest, of)
	case !(g.Cell > 0) || math.IsInf(g.Cell, 0):
		return fmt.Errorf("%w: Grid[%s]: Cell %v is no length; about two thirds of Radius is a good one", ErrInterest, of, g.Cell)
	case !(g.Radius > 0) || math.IsInf(g.Radius, 0):
		return fmt.Errorf("%w: Grid[%s]: Radius %v is no distance", ErrInterest, of, g.Radius)
	case g.Leave != 0 && !(g.Leave >= g.Radius) || math.IsInf(g.Leave, 0):
		return fmt.Errorf("%w: Grid[%s]: Leave %v is less than Radius %v (0: %v times that)", ErrInterest, of, g.Leave, g.Radius, defaultLeave)
	}
	return nil
}

func (g *Grid[T]) compile(p *Program) (node, error) {
	if err := g.Check(); err != nil {
		return node{}, err
	}
	comp, err := component[T](p, "Grid")
	if err != nil {
		return node{}, err
	}
	eyes := own
	if g.Eyes != nil {
		n, err := g.Eyes.compile(p)
		if err != nil {
			return node{}, err
		}
		if n.op != opSame {
			return node{}, fmt.Errorf("%w: Grid[%s]: Eyes is no Same: give the component that those have in common who see for each other, such as Same[Team]()", ErrInterest, typeName[T]())
		}
		eyes = n.leaf
	}
	leave := g.Leave
	if leave == 0 {
		leave = defaultLeave * g.Radius
	}
	if i := slices.IndexFunc(p.grids, func(x *grid) bool {
		return x.comp == comp && x.cell == g.Cell && x.radius == g.Radius && x.leave == leave && x.eyes == eyes
	}); i >= 0 {
		return node{op: opGrid, leaf: i}, nil
	}
	if err := addGrid[T](p, "Grid", comp, g.Cell); err != nil {
		return node{}, err
	}
	last := len(p.grids) - 1
	p.grids[last].radius, p.grids[last].leave, p.grids[last].eyes = g.Radius, leave, eyes
	return node{op: opGrid, leaf: last}, nil
}

// addGrid adds a grid of the component T without a radius.
func addGrid[T any](p *Program, operand string, comp *ecs.Component, cell float64) (err error) {
	x := &grid{comp: comp, cell: cell, eyes: own}
	if x.axes, err = axesOf(operand, reflect.TypeFor[T](), comp.Schema); err != nil {
		return err
	}
	if err = p.addLeaf(); err != nil {
		return err
	}
	p.grids = append(p.grids, x)
	return nil
}

// axis is a coordinate in a component.
type axis struct {
	offset uintptr
	kind   reflect.Kind
}

func (a axis) at(p unsafe.Pointer) float64 {
	p = unsafe.Add(p, a.offset)
	switch a.kind {
	case reflect.Float32:
		return float64(*(*float32)(p))
	case reflect.Float64:
		return *(*float64)(p)
	case reflect.Int16:
		return float64(*(*int16)(p))
	case reflect.Int32:
		return float64(*(*int32)(p))
	case reflect.Int64:
		return float64(*(*int64)(p))
	case reflect.Uint8:
		return float64(*(*uint8)(p))
	case reflect.Uint16:
		return float64(*(*uint16)(p))
	case reflect.Uint32:
		return float64(*(*uint32)(p))
	case reflect.Uint64:
		return float64(*(*uint64)(p))
	}
	return float64(*(*int8)(p))
}

// axesOf returns the axes of a position component: the fields with an axis tag, or otherwise the fields named X, Y and Z.
func axesOf(operand string, t reflect.Type, table *schema.Table) ([]axis, error) {
	found := [3]axis{}
	if table != nil {
		for i := range table.Fields {
			if f := &table.Fields[i]; f.Axis > 0 && found[f.Axis-1].kind == 0 && numeric(f.Kind) {
				found[f.Axis-1] = axis{f.Offset, f.Kind}
			}
		}
	}
	if found == [3]axis{} && t.Kind() == reflect.Struct {
		for i, name := range []string{"X", "Y", "Z"} {
			if f, ok := t.FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, name) }); ok && numeric(f.Type.Kind()) && len(f.Index) == 1 {
				found[i] = axis{f.Offset, f.Type.Kind()}
			}
		}
	}
	axes := slices.DeleteFunc(found[:], func(a axis) bool { return a.kind == 0 })
	if len(axes) == 0 {
		return nil, fmt.Errorf("%w: %s[%v]: it has no numbers X and Y, and no fields tagged axis x and axis y: give the component that holds the place", ErrInterest, operand, t)
	}
	return axes, nil
}

func numeric(k reflect.Kind) bool {
	return k >= reflect.Int8 && k <= reflect.Int64 || k >= reflect.Uint8 && k <= reflect.Uint64 || k == reflect.Float32 || k == reflect.Float64
}

// cell is a cell of a grid. Missing axes are 0.
type cell [3]int32

// point is a position. Missing axes are 0.
type point [3]float64

// grid is a compiled Grid.
type grid struct {
	comp                *ecs.Component
	axes                []axis
	cell, radius, leave float64

	has   []uint64 // by group: slots of the entities with the component
	cells cells

	eyes     int   // index of the Same of Eyes, or own
	watching []eye // of the newest frame, by team
}

// own is the value of eyes for a Grid without Eyes: clients see only from their own entities.
const own = -1

// eye is the position of an entity that sees for its team. The team is the number of a value of a Same.
type eye struct {
	team int32
	at   point
}

// watch collects the eyes of a frame.
func (g *grid) watch(p *Program, f *frames.Frame) {
	if g.eyes == own {
		return
	}
	n, s := p.w.Netcode(), p.sames[g.eyes]
	g.watching = g.watching[:0]
	for i := range f.Groups {
		for m := g.has[i] & s.has[i]; m != 0; m &= m - 1 {
			e := f.Entity(i, bits.TrailingZeros64(m))
			g.watching = append(g.watching, eye{s.find(n.Pointer(e, s.comp)), g.point(n.Pointer(e, g.comp))})
		}
	}
	slices.SortFunc(g.watching, func(a, b eye) int { return int(a.team - b.team) })
}

// sight returns the points from which a client sees: the positions of its own entities, and of the eyes of its teams. If alone
// is true, the client has no entity, and own holds the points of the previous frame. They count only if its teams have no eye.
func (g *grid) sight(own []point, teams []int32, alone bool) []point {
	seen := own
	if alone {
		seen = own[:0]
	}
	for _, team := range teams {
		i, _ := slices.BinarySearchFunc(g.watching, team, func(e eye, team int32) int { return int(e.team - team) })
		for ; i < len(g.watching) && g.watching[i].team == team; i++ {
			seen = append(seen, g.watching[i].at)
		}
	}
	if len(seen) == 0 {
		return own
	}
	return seen
}

// point returns the position in a component.
func (g *grid) point(p unsafe.Pointer) (at point) {
	for i, a := range g.axes {
		if v := a.at(p); v == v {
			at[i] = v
		}
	}
	return at
}

// farthest is the maximum coordinate of a cell.
const farthest = 1 << 30

func cellAt(v, size float64) int32 {
	return int32(min(max(math.Floor(v/size), -farthest), farthest))
}
