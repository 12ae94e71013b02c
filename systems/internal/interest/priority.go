package interest

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Priority returns how much an entity matters to a client if its snapshots do not hold everything.
type Priority = func(w *ecs.World, e ecs.Entity, client uint32) float32

// ByDistance returns a priority by the distance from the client's own entities: 1 within full, and beyond it full divided by the
// distance. T is a position component.
func ByDistance[T any](full float64) Priority {
	of := reflect.TypeFor[T]()
	if !(full > 0) || math.IsInf(full, 0) {
		panic(fmt.Sprintf("interest: ByDistance[%v]: %v is no distance; give that within which everything matters most", of, full))
	}
	table, _ := schema.Compile(of, nil) // a position may get its steps and axes from the protocol alone
	axes, err := axesOf("ByDistance", of, table)
	if err != nil {
		panic(err.Error())
	}
	d := &distances{of: of, grid: grid{axes: axes}}
	return func(w *ecs.World, e ecs.Entity, client uint32) float32 {
		x := d.at(w)
		points := x.points[client]
		if len(points) == 0 || x.comp == nil {
			return 1
		}
		at := w.Netcode().Pointer(e, x.comp)
		if at == nil {
			return 1
		}
		if far := nearest(points, d.grid.point(at)); far > full*full {
			return float32(full / math.Sqrt(far))
		}
		return 1
	}
}

// distances holds the places of all clients in a tick. Several goroutines may use it.
type distances struct {
	of     reflect.Type
	grid   grid
	mu     sync.Mutex
	newest atomic.Pointer[places]
}

// places are the places of the clients' own entities in a tick of a world.
type places struct {
	w      *ecs.World
	tick   uint32
	comp   *ecs.Component
	points map[uint32][]point // by client
}

// at returns the places in the current tick of a world.
func (d *distances) at(w *ecs.World) *places {
	is := func(x *places) bool { return x != nil && x.w == w && x.tick == w.Tick() }
	if x := d.newest.Load(); is(x) {
		return x
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if x := d.newest.Load(); is(x) {
		return x
	}
	x := &places{w: w, tick: w.Tick(), comp: w.Protocol().Component(d.of), points: map[uint32][]point{}}
	for e, r := range ecs.All[struct{ Owner components.Owner }](w) {
		if r.Owner.Client == 0 || x.comp == nil {
			continue
		}
		if at := w.Netcode().Pointer(e, x.comp); at != nil {
			x.points[r.Owner.Client] = append(x.points[r.Owner.Client], d.grid.point(at))
		}
	}
	d.newest.Store(x)
	return x
}

// ByComponent returns a priority that is share for entities with the component T, and 1 for all others.
func ByComponent[T any](share float64) Priority {
	if !(share > 0) || math.IsInf(share, 0) {
		panic(fmt.Sprintf("interest: ByComponent[%v](%v): give a share above 0 of what other entities matter", reflect.TypeFor[T](), share))
	}
	var known atomic.Pointer[protocolComponent]
	return func(w *ecs.World, e ecs.Entity, _ uint32) float32 {
		x := known.Load()
		if x == nil || x.of != w.Protocol() {
			x = &protocolComponent{w.Protocol(), ecs.ComponentOf[T](w.Protocol())}
			known.Store(x)
		}
		if x.comp == nil {
			ecs.Has[T](w, e) // says what is missing
		} else if r := x.comp.Replicated(); r >= 0 && w.Netcode().Mask(e)>>r&1 != 0 || r < 0 && w.Netcode().Pointer(e, x.comp) != nil {
			return float32(share)
		}
		return 1
	}
}

// protocolComponent is a component of a protocol, which takes longer to find than to test for.
type protocolComponent struct {
	of   *ecs.Protocol
	comp *ecs.Component
}

// Priorities returns the product of some priorities.
func Priorities(all ...Priority) Priority {
	return func(w *ecs.World, e ecs.Entity, client uint32) float32 {
		product := float32(1)
		for _, p := range all {
			product *= p(w, e, client)
		}
		return product
	}
}
