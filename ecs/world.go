package ecs

import (
	"fmt"
	"reflect"
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
	// Simulate is the stage that runs as Simulate. Default (nil): the protocol's
	// systems in order, [Protocol.SimulateStage].
	Simulate *Stage
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

// World holds the entities of one peer. It belongs to one goroutine.
type World struct {
	protocol *Protocol
	config   Config
	step     float32
	simulate *Stage
	rollback *forcedRollback // nil unless asked for
	trace    func(system string)
	words    []int32 // scratch of quantize

	store   arche.World
	ids     []arche.ID // by component index
	tables  []*table
	byMask  map[mask]*table
	recent  *table // the last one asked for by mask
	slots   []slot
	free    []uint32
	changes uint64 // how often slots were handed out and given back
	handles uint64 // the value of changes that slots and free stand for
	byNetID keyed[Entity]
	nextNet components.NetID

	rows      map[rowKey]*row
	spawns    map[reflect.Type]*spawnRow
	spawned   *spawnRow // the last one used
	resources map[reflect.Type]any
	places    []place    // scratch of EachInOrder, used as a stack
	gained    []arche.ID // scratch of move
	lost      []arche.ID
	surplus   []arche.Entity // scratch of resize
	version   uint64
	depth     int       // stages running
	commands  []command // that wait for the end of a stage
	parts     []part    // of commands
	values    arena     // of parts

	tick        uint32
	newest      uint32 // latest tick ever set
	resimulated uint64
	system      uint32            // ordinal of the running system, for Rand
	inputSeq    keyed[uint32]     // by owner
	input       uint32            // the newest of them
	counts      keyed[spawnCount] // of keys given out, by owner
	held        []uint32          // owners that Each leaves out
	only        uint32            // the one owner that Each yields; 0: all
	neutral     []uint64          // the input of who has no client
	ofOwners    []unsafe.Pointer  // scratch of GiveInputs

	simulating int // runs of Simulate under way
	predicted  predictions
	partial    partial
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
		protocol:  p,
		config:    c,
		step:      float32(1 / float64(c.TickRate)),
		store:     arche.NewWorld(64),
		byMask:    make(map[mask]*table),
		slots:     make([]slot, 1, 64), // handle 0 is no entity
		nextNet:   1,
		rows:      make(map[rowKey]*row),
		spawns:    make(map[reflect.Type]*spawnRow),
		resources: make(map[reflect.Type]any),
		changes:   1,
		handles:   1,
		neutral:   neutralInput(p.input),
	}
	for _, comp := range p.all {
		w.ids = append(w.ids, arche.TypeID(&w.store, comp.typ))
	}
	if w.simulate = c.Simulate; w.simulate == nil {
		w.simulate = p.SimulateStage()
	}
	if !c.Client {
		w.spawnSingletons()
	}
	return w
}

// Protocol is the protocol that the world was made for.
func (w *World) Protocol() *Protocol { return w.protocol }

// Seed is the world seed.
func (w *World) Seed() uint64 { return w.config.Seed }

// TickRate is the number of simulation steps a second.
func (w *World) TickRate() int { return w.config.TickRate }

// Step is the length of one simulation step in seconds, or of the part of one that
// is being looked at; see [World.Partial].
func (w *World) Step() float32 { return w.step }

// StepDuration is the length of one simulation step.
func (w *World) StepDuration() time.Duration {
	return time.Duration(float64(time.Second) / float64(w.config.TickRate))
}

// MaxTick is the last tick that a server simulates, 2^16 short of where a number of 32 bits
// would begin again: after 388 days at 128 ticks a second, 828 at 60. Ticks are compared
// as they are, by games too, and so never wrap.
const MaxTick = 1<<32 - 1<<16 - 1

// Tick is the server tick being simulated, from 0 to [MaxTick]. On a client it is the tick
// that the confirmed state plus the inputs since stand for, so doors and moving
// platforms line up with the server's; cooldowns belong in state, not here.
func (w *World) Tick() uint32 { return w.tick }

// SetTick is for the netcode: it says which tick the next Simulate is.
func (w *World) SetTick(t uint32) {
	w.tick = t
	w.newest = max(w.newest, t)
}

// Resimulated counts the runs of Simulate for ticks that the world had already
// completed, having gone on to a later one.
func (w *World) Resimulated() uint64 { return w.resimulated }

// SetInputSequence is for the netcode: it says which of an owner's inputs the
// next Simulate consumes. Randomness on owned entities follows it.
func (w *World) SetInputSequence(owner, seq uint32) {
	*w.inputSeq.put(owner), w.input = seq, seq
}

// ForgetInputs is for the netcode, when a client has left for good: what
// [World.SetInputSequence] said of it holds no more, and its entities draw their
// random numbers by tick.
func (w *World) ForgetInputs(owner uint32) {
	w.inputSeq.drop(owner)
	w.counts.drop(owner)
}

// SimulateStage is the nested list of the game's systems, which the server's
// tick, Predict and Reconcile's replays all run.
func (w *World) SimulateStage() *Stage { return w.simulate }

// Despawn removes an entity, inside a system at the end of the stage; until then
// it is alive. A handle that is dead already is ignored. On a client, what Simulate
// despawns of the server's entities leaves the scope, and comes back under the
// same handle when the server disagrees.
func (w *World) Despawn(e Entity) {
	switch s := w.at(e); {
	case s == nil:
	case w.depth > 0 && s.pending == 0:
		w.keep(s, e, opDespawn)
	default:
		w.do(command{op: opDespawn, entity: e})
	}
}

// Add gives e the component value v, or sets it at once when e has it already.
// Inside a system a component that e does not have yet arrives at the end of the
// stage; Adds and Removes of one component take effect in the order of the
// calls. On a client, Simulate reshapes no entity that it does not simulate.
//
// It panics when e is not alive or T is not registered. An entity that dies
// before the end of the stage takes the component with it.
func Add[T any](w *World, e Entity, v T) {
	s := w.mustAt(e, "Add")
	c := w.given(reflect.TypeFor[T](), "Add")
	if p := w.pointer(s, c); p != nil && w.waiting(s, c) == opNone {
		*(*T)(p) = v
		return
	}
	w.nameIf(e, c)
	held := w.values.take(c.size)
	*(*T)(held) = v
	w.do(command{op: opAdd, entity: e, first: w.part(c, held, 0)})
}

// Remove takes the component T from e, inside a system at the end of the stage.
// It does nothing when e has none. It panics when e is not alive or T is not
// registered.
func Remove[T any](w *World, e Entity) {
	s := w.mustAt(e, "Remove")
	c := w.given(reflect.TypeFor[T](), "Remove")
	if was := w.waiting(s, c); was == opAdd || was == opNone && w.pointer(s, c) != nil {
		w.do(command{op: opRemove, entity: e, first: w.part(c, nil, 0)})
	}
}

// Get returns e's component T, or nil when e has none or is not alive. The
// pointer is good until the next structural change, inside a system until the
// end of the stage: do not keep it.
func Get[T any](w *World, e Entity) *T {
	s := w.at(e)
	if s == nil || w.hides(s) {
		return nil
	}
	return (*T)(w.pointer(s, w.known(reflect.TypeFor[T]())))
}

// Has reports whether e is alive and has the component T.
func Has[T any](w *World, e Entity) bool { return Get[T](w, e) != nil }

// pointer finds a component of a stored or pending entity.
func (w *World) pointer(s *slot, c *Component) unsafe.Pointer {
	if s.pending > 0 {
		value, _ := w.find(&w.commands[s.pending-1], c)
		return value
	}
	if s.table == nil || !s.table.mask.has(c.index) {
		return nil
	}
	return w.store.GetUnchecked(s.stored, w.ids[c.index])
}

// SetResource puts one value of type T beside the entities: configuration, a
// map, whatever is not replicated and not per entity.
func SetResource[T any](w *World, v *T) { w.resources[reflect.TypeFor[T]()] = v }

// Resource returns what [SetResource] stored, or nil.
func Resource[T any](w *World) *T {
	v, _ := w.resources[reflect.TypeFor[T]()].(*T)
	return v
}
