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

// Config configures a [World]. The zero value is a server world with 60 steps per second and seed 0.
type Config struct {
	// Seed is the seed of all random numbers of the world, see [World.Rand]. A client uses the seed of its server.
	Seed uint64
	// TickRate is the number of simulation steps per second, 1 to 1000. The default (0) is 60.
	TickRate int
	// Client makes a client world: [Each] yields only entities marked components.Predicted, and NetIDs come from the
	// server.
	Client bool
	// Rewinds means that the world simulates ticks again. Values that handlers of the game write would then be lost or
	// differ between peers, so [Handle] prevents it.
	Rewinds bool
	// Simulate is the stage that runs as Simulate. The default (nil) is [Protocol.SimulateStage], the systems of the
	// protocol in order.
	Simulate *Stage
	// Workers share the rows of systems made with [Rows]. By default (nil), the goroutine of the world runs them alone. The
	// result of the simulation is the same.
	Workers Workers
}

// Validate returns an error if a field of c is invalid.
func (c Config) Validate() error {
	if c.TickRate < 0 || c.TickRate > 1000 {
		return fmt.Errorf("ecs: TickRate %d is not between 1 and 1000 (0: 60)", c.TickRate)
	}
	return nil
}

// DefaultTickRate is the number of simulation steps per second if a configuration says 0.
const DefaultTickRate = 60

// World holds the entities of one peer. It belongs to one goroutine; see also [Rows]. Its methods are for games;
// [World.Netcode] has the methods for netcode and tools.
type World struct {
	setup     setup
	storage   storage
	handles   handles
	deferred  deferred
	rows      rowTypes
	resources map[reflect.Type]any
	restored  map[string][]byte // resources of a save that were not set yet, by type
	loaded    loaded
	clock     clock
	inputs    inputs
	owners    ownerScope
	predicted predictions
	partial   partial
	check     check
}

// setup has the arguments of NewWorld.
type setup struct {
	protocol *Protocol
	config   Config
	step     float32 // in seconds, or a share of one in a partial tick
	simulate *Stage
}

// NewWorld makes an empty world of the protocol p. From then on p cannot change. NewWorld panics if c is not valid.
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

// Protocol returns the protocol of the world.
func (w *World) Protocol() *Protocol { return w.setup.protocol }

// Seed returns the seed of the world.
func (w *World) Seed() uint64 { return w.setup.config.Seed }

// TickRate returns the number of simulation steps per second.
func (w *World) TickRate() int { return w.setup.config.TickRate }

// StepDuration returns the length of one simulation step.
func (w *World) StepDuration() time.Duration {
	return time.Duration(float64(time.Second) / float64(w.setup.config.TickRate))
}

// SetResource stores one value of type T in the world, for data that belongs to no entity and is not replicated, such as a
// map or configuration.
//
// Saves contain the resources that implement [encoding.BinaryMarshaler] and [encoding.BinaryUnmarshaler]. In a world that was
// loaded from a save, the first SetResource of such a type gives *v the saved value. SetResource panics if UnmarshalBinary
// returns an error.
func SetResource[T any](w *World, v *T) {
	t := reflect.TypeFor[T]()
	w.resources[t] = v
	w.restore(t, v)
}

// Resource returns the value that [SetResource] stored, or nil.
func Resource[T any](w *World) *T {
	v, _ := w.resources[reflect.TypeFor[T]()].(*T)
	return v
}

// Handle is for the netcode. It runs a handler of the game, such as the handler of an event, outside of Simulate. name
// describes the handler in messages, for example "the handler of event Say". In a world with Config.Rewinds, the handler
// may only read, with [All], [Single], [Get] and similar functions. Spawn, Despawn, [Add], [Remove], [Each], [EachOf]
// and [EachInOrder] panic, and Handle panics after the handler if it changed a value through a pointer from Get. In other
// worlds, and if w is nil, Handle just runs the handler.
func Handle(w *World, name string, run func()) {
	if w == nil || !w.setup.config.Rewinds {
		run()
		return
	}
	w.check.handlers.run(name, run)
}

// Singleton registers T as a replicated component that the world has exactly once, such as a score, a timer or the phase of
// a match. It is on a separate entity of the server's world from the start, with the zero value. Systems on the server
// write it with [Each]; both sides read it with [Single]. Spawning or adding a second T, and despawning its entity, panics.
func Singleton[T any](p *Protocol, mode Mode) {
	if mode&(Predicted|OwnerOnly) != 0 {
		panic(fmt.Sprintf("ecs: Singleton[%s]: it has no owner, so it cannot be Predicted or OwnerOnly", reflect.TypeFor[T]()))
	}
	Replicate[T](p, mode)
	p.singletons = append(p.singletons, p.byType[reflect.TypeFor[T]()])
}

// Single returns a copy of the singleton T. On a client it is the last confirmed value, and the zero value before the first
// snapshot. Single panics if T was not registered with [Singleton].
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

// single returns the entity of singleton i. Singletons are spawned before all other entities, so their NetIDs are fixed.
func (w *World) single(i int) Entity {
	e, _ := w.ByNetID(components.NetID(1 + i))
	return e
}

// spawnSingletons spawns the entities of the singletons in a new server world.
func (w *World) spawnSingletons() {
	for _, c := range w.setup.protocol.singletons {
		zero := w.deferred.values.allocate(c.size)
		clear(unsafe.Slice((*byte)(zero), c.size))
		e := w.handles.allocate()
		w.assignNetIDFor(e, c)
		w.apply(command{op: opSpawn, entity: e, first: w.deferred.part(c, zero, 0)})
	}
}
