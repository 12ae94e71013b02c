package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/components"
)

// Config configures a [World]. The zero value is a server world at 60 steps a
// second with seed 0.
type Config struct {
	// Seed is the root of everything random in the world; see [World.Rand].
	// A client gets the server's.
	Seed uint64
	// TickRate is the number of simulation steps a second, 1 to 1000.
	// Default (0): 60.
	TickRate int
	// Client makes a world in which [Each] yields only entities marked
	// components.Predicted, and in which NetIDs come from a server.
	Client bool
	// Rewinds says that ticks of the world are simulated again, so that what handlers of the
	// game write would be lost, or make peers differ: [Handle] refuses it.
	Rewinds bool
	// Simulate is the stage that runs as Simulate. Default (nil): the protocol's
	// systems in order, [Protocol.SimulateStage].
	Simulate *Stage
	// Workers share the rows of systems made with [Rows]. Default (nil): the goroutine of the
	// world does them alone. Nothing that is simulated depends on it.
	Workers Workers
}

// Validate reports what is wrong with c; it never changes it.
func (c Config) Validate() error {
	if c.TickRate < 0 || c.TickRate > 1000 {
		return fmt.Errorf("ecs: TickRate %d is not between 1 and 1000 (0: 60)", c.TickRate)
	}
	return nil
}

// DefaultTickRate is the number of simulation steps a second where a
// configuration says 0.
const DefaultTickRate = 60

// World holds the entities of one peer. It belongs to one goroutine; see also [Rows]. What a game
// calls is its own; what the netcode and tools call is [World.Netcode].
type World struct {
	setup     setup
	storage   storage
	handles   handles
	deferred  deferred
	rows      rowTypes
	resources map[reflect.Type]any
	clock     clock
	inputs    inputs
	owners    ownerScope
	predicted predictions
	partial   partial
	check     check
}

// setup is what a world was made with.
type setup struct {
	protocol *Protocol
	config   Config
	step     float32 // in seconds, or a share of one in a partial tick
	simulate *Stage
}

// NewWorld makes an empty world of the protocol p, which is frozen by it.
// It panics when c is not valid.
func NewWorld(p *Protocol, c Config) *World {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	if c.TickRate == 0 {
		c.TickRate = DefaultTickRate
	}
	p.frozen.Store(true)
	w := &World{
		setup:     setup{protocol: p, config: c, step: float32(1 / float64(c.TickRate))},
		storage:   storage{arche: arche.NewWorld(64), byMask: make(map[mask]*table)},
		handles:   handles{slots: make([]slot, 1, 64), nextNet: 1, changes: 1, settled: 1}, // handle 0 is no entity
		rows:      rowTypes{walked: make(map[rowKey]*row), spawns: make(map[reflect.Type]*spawnRow)},
		resources: make(map[reflect.Type]any),
		inputs:    inputs{neutral: neutralInput(p.input)},
	}
	w.predicted.w = w
	for _, comp := range p.all {
		w.storage.ids = append(w.storage.ids, arche.TypeID(&w.storage.arche, comp.typ))
	}
	if w.setup.simulate = c.Simulate; w.setup.simulate == nil {
		w.setup.simulate = p.SimulateStage()
	}
	if !c.Client {
		w.spawnSingletons()
	}
	return w
}

// Protocol is the protocol that the world was made for.
func (w *World) Protocol() *Protocol { return w.setup.protocol }

// Seed is the world seed.
func (w *World) Seed() uint64 { return w.setup.config.Seed }

// TickRate is the number of simulation steps a second.
func (w *World) TickRate() int { return w.setup.config.TickRate }

// StepDuration is the length of one simulation step.
func (w *World) StepDuration() time.Duration {
	return time.Duration(float64(time.Second) / float64(w.setup.config.TickRate))
}

// SetResource puts one value of type T beside the entities: configuration, a
// map, whatever is not replicated and not per entity.
func SetResource[T any](w *World, v *T) { w.resources[reflect.TypeFor[T]()] = v }

// Resource returns what [SetResource] stored, or nil.
func Resource[T any](w *World) *T {
	v, _ := w.resources[reflect.TypeFor[T]()].(*T)
	return v
}

// Handle is for the netcode: it runs a handler of the game, such as that of an event, outside
// Simulate; name is what advice calls it, "the handler of event Say". In a world with
// Config.Rewinds the handler may look, with [All], [Single], [Get] and the like, and not write:
// Spawn, Despawn, [Add], [Remove], [Each], [EachOf], [EachInOrder] and [Chunks] panic with
// advice, and so does Handle afterwards where a value that Get gave is another one. Elsewhere,
// and without a world (nil), it only runs.
func Handle(w *World, name string, run func()) {
	if w == nil || !w.setup.config.Rewinds {
		run()
		return
	}
	w.check.handlers.run(name, run)
}

// Singleton registers T as a replicated component of which there is exactly one
// in the world: a score, a timer, the phase of a match. The server's world has
// it from the start, zero at first, on an entity of its own. Systems on the
// server write it as any component, with [Each]; both sides read it with
// [Single]. There is never another one: who spawns or adds a T, or despawns its entity,
// panics.
func Singleton[T any](p *Protocol, mode Mode) {
	if mode&(Predicted|OwnerOnly|ClientOwned) != 0 {
		panic(fmt.Sprintf("ecs: Singleton[%s]: it has no owner, so it cannot be Predicted, OwnerOnly or ClientOwned", reflect.TypeFor[T]()))
	}
	Replicate[T](p, mode)
	p.singletons = append(p.singletons, p.byType[reflect.TypeFor[T]()])
}

// Single is a copy of the singleton T: on a client as confirmed last, and zero
// until the server's first snapshot has come. It panics when T was not
// registered with [Singleton].
func Single[T any](w *World) T {
	c := w.setup.protocol.need(reflect.TypeFor[T]())
	i := slices.Index(w.setup.protocol.singletons, c)
	if i < 0 {
		panic(fmt.Sprintf("ecs: Single[%s]: register it with ecs.Singleton", c.Name))
	}
	if p := Get[T](w, w.single(i)); p != nil {
		return *p
	}
	var zero T
	return zero
}

// single is the entity of the i-th singleton. They are spawned before all other
// entities, so their NetIDs are known.
func (w *World) single(i int) Entity {
	e, _ := w.ByNetID(components.NetID(1 + i))
	return e
}

// spawnSingletons makes what the protocol's singletons live on, in a new world
// that hands out NetIDs.
func (w *World) spawnSingletons() {
	for _, c := range w.setup.protocol.singletons {
		zero := w.deferred.values.allocate(c.size)
		clear(unsafe.Slice((*byte)(zero), c.size))
		e := w.handles.allocate()
		w.nameIf(e, c)
		w.do(command{op: opSpawn, entity: e, first: w.deferred.part(c, zero, 0)})
	}
}
