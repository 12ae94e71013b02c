package ecs

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tactusgo/tactus/components"
)

// Protocol is the contract between server and clients: the components and how they are replicated, the input, and the
// systems that both sides run. Build it with the same function on both sides. It cannot change after the first world uses
// it. Any number of worlds can share it.
type Protocol struct {
	name       string
	all        []*Component
	byType     map[reflect.Type]*Component
	replicated []*Component
	input      *Component
	singletons []*Component
	core       coreComponents
	systems    systems
	players    Players
	quantized  bool
	frozen     atomic.Bool // worlds of several goroutines may share a protocol
}

// systems are the rules of the game.
type systems struct {
	simulate, authority []System
	carried             []*Carried
	carry               System // runs after simulate if Carry was called
}

// coreComponents are the built-in components.
type coreComponents struct {
	self, netID                        *Component
	owner, key                         *Component
	predicted, interpolated, suspended *Component
}

// NewProtocol returns a new protocol. Peers compare the name, for example "dots/1". Change it if the rules of the game
// change but its data does not.
func NewProtocol(name string) *Protocol {
	p := &Protocol{name: name, byType: make(map[reflect.Type]*Component)}
	p.core.self = p.add(reflect.TypeFor[self](), 0, nil, false)
	p.core.netID = p.add(reflect.TypeFor[components.NetID](), 0, nil, false)
	Replicate[components.Owner](p, 0)
	Replicate[SpawnKey](p, OwnerOnly)
	p.core.owner, p.core.key = p.replicated[0], p.replicated[1]
	p.core.predicted = p.add(reflect.TypeFor[components.Predicted](), 0, nil, false)
	p.core.interpolated = p.add(reflect.TypeFor[components.Interpolated](), 0, nil, false)
	p.core.suspended = p.add(reflect.TypeFor[suspended](), 0, nil, false)
	return p
}

// Name returns the name given to [NewProtocol].
func (p *Protocol) Name() string { return p.name }

// Simulate adds a system to the rules of the game. The server runs it for all entities in each tick. A client runs it for
// the entities that it predicts, and again when it re-simulates. So it must depend only on the world: no clock, no map
// iteration, no random numbers except [World.Rand].
func (p *Protocol) Simulate(name string, run func(*World)) {
	p.systems.simulate = append(p.systems.simulate, p.system(name, run))
}

// QuantizeSteps makes both sides round simulated values to their encoded precision after every run of Simulate. Predictions
// are then compared exactly, and all peers simulate from the same values. Without it, the server simulates in full
// precision, and a difference of one quantization step is not a misprediction.
func (p *Protocol) QuantizeSteps() {
	p.mayChange("QuantizeSteps")
	p.quantized = true
}

// Quantized reports whether [Protocol.QuantizeSteps] was called.
func (p *Protocol) Quantized() bool { return p.quantized }

// Authority adds a system that only the server runs, after Simulate, for decisions such as spawning and scoring. Under
// Rollback and Lockstep every peer runs it, and it must depend only on the world.
func (p *Protocol) Authority(name string, run func(*World)) {
	p.systems.authority = append(p.systems.authority, p.system(name, run))
}

// Leave registers the function that runs when a player leaves for good. It runs when and where the function of [Join] runs.
// Entities that the player owns after f are despawned. To keep an entity, remove its components.Owner in f:
//
//	ecs.Remove[components.Owner](w, e)
//
// Without Leave, all entities of the player are despawned. Leave panics if the protocol already has a Leave.
func (p *Protocol) Leave(f func(w *World, client uint32)) {
	p.mayChange("Leave")
	p.players.setLeave(f)
}

// Away registers the function that runs with away = true when a player's session has ended and the server starts to wait
// for the player, and with away = false when the player is back. f may mark or hide the player's entities, or remove them
// from the game. It runs when and where the function of [Command] runs. If the player does not come back, f is not called
// again: the player leaves, see [Protocol.Leave]. Without Away, the player's entities stay unchanged and get neutral input.
// Away panics if the protocol already has an Away, and like Command.
func (p *Protocol) Away(f func(w *World, client uint32, away bool)) {
	if f == nil {
		panic("ecs: Away needs a function")
	}
	Command(p, func(w *World, client uint32, v *Presence) { f(w, client, v.Away) })
}

// Presence is the command by which the server announces that a player is away or back, see [Protocol.Away]. It is for the
// netcode. Servers reject it from clients.
type Presence struct{ Away bool }

// Players returns the functions for joining and leaving players and for commands.
func (p *Protocol) Players() *Players { return &p.players }

// mayChange panics if a world already uses the protocol.
func (p *Protocol) mayChange(what string) {
	if p.frozen.Load() {
		panic(fmt.Sprintf("ecs: %s after a world uses protocol %q: complete the protocol before NewWorld", what, p.name))
	}
}

// SimulateStage returns a new stage with the systems of [Protocol.Simulate], in order, and the system Carry if [Carry] was
// called.
func (p *Protocol) SimulateStage() *Stage {
	s := NewStage("Simulate", p.systems.simulate...)
	if len(p.systems.carried) > 0 {
		s.Add(p.systems.carry)
	}
	return s
}

// AuthorityStage returns a new stage with the systems of [Protocol.Authority], in order.
func (p *Protocol) AuthorityStage() *Stage { return NewStage("Authority", p.systems.authority...) }

func (p *Protocol) system(name string, run func(*World)) System {
	p.mayChange("the system " + name)
	if name == "" || run == nil {
		panic("ecs: a system needs a name and a function")
	}
	for _, list := range [][]System{p.systems.simulate, p.systems.authority, {p.systems.carry}} {
		for _, s := range list {
			if s.Name == name {
				panic(fmt.Sprintf("ecs: two systems are named %q", name))
			}
		}
	}
	return System{Name: name, Run: run}
}

// Replicated returns the components that snapshots include, in the order of registration: the replicated components, and
// those whose presence alone is replicated. The first one is always components.Owner.
func (p *Protocol) Replicated() []*Component { return p.replicated }

// Singletons returns the components registered with [Singleton], in this order. Singleton i is on the entity with NetID
// i+1.
func Singletons(p *Protocol) []*Component { return p.singletons }

// Components returns the components that a game can give to entities, replicated and local, in the order of registration.
// It does not include the marks of the world and the netcode.
func (p *Protocol) Components() []*Component {
	var list []*Component
	for _, c := range p.all {
		if !p.hidden(c) {
			list = append(list, c)
		}
	}
	return list
}

// hidden reports whether a component is a mark of this peer and not part of the state of an entity.
func (p *Protocol) hidden(c *Component) bool {
	return c == p.core.self || c == p.core.netID || c == p.core.predicted || c == p.core.interpolated || c == p.core.suspended
}

// Input returns the input component, or nil.
func (p *Protocol) Input() *Component { return p.input }

// Lines returns the canonical text of the protocol for comparison between peers: one line per component, then the functions
// for players. It does not include tolerances.
func (p *Protocol) Lines() []string {
	lines := []string{"protocol " + p.name}
	if p.quantized {
		lines[0] += " quantized"
	}
	for _, c := range p.replicated {
		switch {
		case c == p.input:
			lines = append(lines, "input "+c.Schema.Line())
		case c.Schema == nil:
			lines = append(lines, "local "+modeText(c.Mode)+c.Name)
		default:
			lines = append(lines, "replicate "+modeText(c.Mode)+c.Schema.Line())
		}
	}
	for _, c := range p.systems.carried {
		for i := range c.By {
			lines = append(lines, "carry "+c.By[i].A.Name+" "+c.Component.Name)
		}
	}
	return append(lines, p.players.lines()...)
}

// Hash returns the hash of [Protocol.Lines]. Peers with equal hashes can play together.
func (p *Protocol) Hash() uint64 {
	h := fnv.New64a()
	for _, l := range p.Lines() {
		io.WriteString(h, l)
		h.Write([]byte{'\n'})
	}
	return h.Sum64()
}

func modeText(m Mode) string {
	var s strings.Builder
	for i, word := range [...]string{"predicted ", "interpolated ", "owner-only "} {
		if m>>i&1 != 0 {
			s.WriteString(word)
		}
	}
	return s.String()
}

// need returns the description of t and panics if t is not registered.
func (p *Protocol) need(t reflect.Type) *Component {
	c := p.byType[t]
	if c != nil {
		return c
	}
	if t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) && p.byType[t.Elem()] != nil {
		panic(fmt.Sprintf("ecs: %s is not a component, %s is: write the value", t, t.Elem()))
	}
	panic(fmt.Sprintf("ecs: %v is not a component of protocol %q; register it with ecs.Replicate, Local, Singleton or Input", t, p.name))
}

// needAddable returns the component of a type that a game adds or removes. It panics if the protocol has no such component,
// or if only the world may add or remove it.
func (p *Protocol) needAddable(t reflect.Type, call string) *Component {
	c := p.need(t)
	if c == p.core.self || c == p.core.netID || c == p.core.key {
		panic(fmt.Sprintf("ecs: %s: the world sets %s itself: leave it out", call, c.Name))
	}
	if slices.Contains(p.singletons, c) {
		panic(fmt.Sprintf("ecs: %s: %s is a singleton, which the world always has: change it with Each", call, c.Name))
	}
	return c
}

// singletonOf returns the singleton on the entity with a NetID, or nil.
func (p *Protocol) singletonOf(id components.NetID) *Component {
	if id > 0 && int(id) <= len(p.singletons) {
		return p.singletons[id-1]
	}
	return nil
}

// maskOf converts a set of replicated components to a storage mask.
func (p *Protocol) maskOf(set uint64) mask {
	var m mask
	for i := range bitsOf(set) {
		if i >= len(p.replicated) {
			panic(fmt.Sprintf("ecs: Replica: no replicated component %d", i))
		}
		m.set(p.replicated[i].index)
	}
	return m
}
