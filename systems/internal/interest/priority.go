package interest

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Priority ranks entities for a client if its snapshots do not hold all changes.
type Priority interface {
	rank(p *Program) error
}

// Classes is the number of priority classes. Each class has half the share of the previous one.
const Classes = 5

// ByDistance ranks entities by their distance from the client's own entities. T is a position component.
type ByDistance[T any] struct {
	Full    float64
	Half    float64
	Quarter float64
	Cell    float64
}

// Check returns an error if the numbers of a ByDistance are invalid.
func (d ByDistance[T]) Check() error {
	of, d := typeName[T](), d.filled()
	bad := func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }
	switch {
	case bad(d.Full):
		return fmt.Errorf("%w: ByDistance[%s]: Full %v is no distance; give that within which everything matters most", ErrInterest, of, d.Full)
	case bad(d.Half) || d.Half <= d.Full:
		return fmt.Errorf("%w: ByDistance[%s]: Half %v is no distance beyond Full %v (0: twice that)", ErrInterest, of, d.Half, d.Full)
	case bad(d.Quarter) || d.Quarter <= d.Half:
		return fmt.Errorf("%w: ByDistance[%s]: Quarter %v is no distance beyond Half %v (0: twice that)", ErrInterest, of, d.Quarter, d.Half)
	case bad(d.Cell):
		return fmt.Errorf("%w: ByDistance[%s]: Cell %v is no length (0: Full)", ErrInterest, of, d.Cell)
	}
	return nil
}

func (d ByDistance[T]) filled() ByDistance[T] {
	if d.Half == 0 {
		d.Half = 2 * d.Full
	}
	if d.Quarter == 0 {
		d.Quarter = 2 * d.Half
	}
	if d.Cell == 0 {
		d.Cell = d.Full
	}
	return d
}

func (d ByDistance[T]) rank(p *Program) error {
	if err := d.Check(); err != nil {
		return err
	}
	comp, err := component[T](p, "ByDistance")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.grids, func(g *grid) bool { return g.comp == comp && g.eyes == own })
	switch {
	case i < 0:
		i = len(p.grids)
		if err := addGrid[T](p, "ByDistance", comp, d.filled().Cell); err != nil {
			return err
		}
	case p.grids[i].bands != [3]float64{}:
		return fmt.Errorf("%w: ByDistance[%s] twice: leave one out", ErrInterest, typeName[T]())
	case d.Cell != 0:
		return fmt.Errorf("%w: ByDistance[%s]: Cell %v beside the cells of Grid[%s], which it goes by: leave it 0", ErrInterest, typeName[T](), d.Cell, typeName[T]())
	}
	d = d.filled()
	p.grids[i].bands = [3]float64{d.Full * d.Full, d.Half * d.Half, d.Quarter * d.Quarter}
	p.distance = true
	return nil
}

// byComponent implements [ByComponent].
type byComponent[T any] struct{ share float64 }

// ByComponent returns the priority that gives entities with the component T a share of the priority of other entities.
func ByComponent[T any](share float64) Priority { return byComponent[T]{share} }

func (b byComponent[T]) rank(p *Program) error {
	comp, err := component[T](p, "ByComponent")
	if err != nil {
		return err
	}
	i := slices.Index(p.protocol.Replicated(), comp)
	switch of := typeName[T](); {
	case !(b.share > 0 && b.share <= 1):
		return fmt.Errorf("%w: ByComponent[%s](%v): give a share above 0, up to 1, of what others matter; to make something matter more, give the others less", ErrInterest, of, b.share)
	case i < 0:
		return fmt.Errorf("%w: ByComponent[%s]: clients are not told of that component, and groups are of the same components that they are told of; replicate it, or give one that is", ErrInterest, of)
	}
	p.components = append(p.components, ranked{1 << i, classOf(b.share)})
	return nil
}

// classOf returns the class nearest to a share.
func classOf(share float64) uint8 {
	return uint8(min(math.Round(-math.Log2(share)), Classes-1))
}

// ranked is a ByComponent: it adds class to the class of entities with a component of mask.
type ranked struct {
	mask  uint64
	class uint8
}

// ranks holds the priorities of a program.
type ranks struct {
	distance   bool // there is a ByDistance
	components []ranked
	classes    []uint8 // by group of the newest frame: the class by components
}

// classify updates the classes by components for a frame.
func (r *ranks) classify(f *capture.Frame) {
	if len(r.components) == 0 {
		return
	}
	r.classes = reuse.Longer(r.classes, len(f.Groups))
	for i := range f.Groups {
		g, class := &f.Groups[i], uint8(0)
		if g.Alive != 0 {
			mask := g.Masks[bits.TrailingZeros64(g.Alive)] // as of all of its kind
			for _, c := range r.components {
				if mask&c.mask != 0 {
					class += c.class
				}
			}
		}
		r.classes[i] = class
	}
}

// Class returns the priority class of the entity in a slot of the newest frame for a client, from 0 to Classes-1: each
// class matters half as much as the one before. If nothing is hidden it is the class of the whole group.
func (c *Client) Class(p *Program, group, slot int) uint8 {
	class := uint8(0)
	if len(p.components) > 0 {
		class = p.classes[group]
	}
	if p.distance && c.points != nil {
		for i, g := range p.grids {
			if g.bands[0] == 0 {
				continue
			}
			if squared, ok := p.distanceOf(i, c, group, slot); ok {
				for _, far := range g.bands {
					if squared > far {
						class++
					}
				}
			}
		}
	}
	return min(class, Classes-1)
}

// distanceOf returns the square of the distance by which a grid measures the entity in a slot: if nothing is hidden that of the
// box around its group. ok is false if the client or the entity has no place.
func (p *Program) distanceOf(grid int, c *Client, group, slot int) (squared float64, ok bool) {
	g, points := p.grids[grid], c.points[grid]
	if len(points) == 0 {
		return 0, false
	}
	if !p.limits {
		b := &g.boxes[group]
		return b.nearest(points), !b.empty()
	}
	at := p.w.Netcode().Pointer(p.frame.Entity(group, slot), g.comp)
	if at == nil {
		return 0, false
	}
	return nearest(points, g.point(at)), true
}

// Far reports whether an entity of the newest frame is far from a client: beyond the first band of a
// ByDistance or, without one, beyond half the Radius of all Grids that apply to it.
func (c *Client) Far(p *Program, group, slot int) (far bool) {
	if c.points == nil {
		return false
	}
	for i, g := range p.grids {
		limit := g.bands[0]
		if !p.distance {
			limit = g.radius * g.radius / 4
		}
		if limit == 0 {
			continue
		}
		if squared, ok := p.distanceOf(i, c, group, slot); ok {
			if squared <= limit {
				return false
			}
			far = true
		}
	}
	return far
}

// empty reports whether there is no place in it.
func (b *box) empty() bool { return b.min[0] > b.max[0] }

// nearest returns the square of the distance to the nearest of some points.
func (b *box) nearest(points []point) float64 {
	squared := math.Inf(1)
	for _, at := range points {
		squared = min(squared, b.squared(at))
	}
	return squared
}

// Stand updates the places of a client from whom nothing is hidden.
func (c *Client) Stand(p *Program, id uint32, r *Room) {
	if p.distance {
		p.stand(c, id, r)
	}
}
