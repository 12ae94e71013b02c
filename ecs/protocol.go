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

// Protocol is what server and clients must agree on: which components travel
// and how, what an input is, and the systems that both sides run. Build it with
// the same function on both sides; it is frozen when the first world uses it,
// and can then serve any number of worlds.
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
	carry               System // behind those of simulate, where something is carried
}

// coreComponents are those that every protocol has.
type coreComponents struct {
	self, netID                        *Component
	owner, key                         *Component
	predicted, interpolated, suspended *Component
}

// NewProtocol starts a protocol. The name ("dots/1") is part of what peers
// compare: change it when the rules of the game change but its data do not.
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

// Name is the name given to [NewProtocol].
func (p *Protocol) Name() string { return p.name }

// Simulate adds a system to the rules of the game. The server runs it for
// everything, each tick; a client runs it, unchanged, for what it predicts, and
// again when it re-simulates. So it may depend on nothing but the world: no
// clock, no map iteration, no random numbers but [World.Rand].
func (p *Protocol) Simulate(name string, run func(*World)) {
	p.systems.simulate = append(p.systems.simulate, p.system(name, run))
}

// QuantizeSteps makes both sides round what they simulate to the precision of
// the wire after every run of Simulate. Predictions are then compared exactly,
// and a client simulates from the very values that everybody else sees; without
// it the server simulates at full precision, and a difference of one
// quantization step is no misprediction.
func (p *Protocol) QuantizeSteps() {
	p.mayChange("QuantizeSteps")
	p.quantized = true
}

// Quantized reports whether [Protocol.QuantizeSteps] was asked for.
func (p *Protocol) Quantized() bool { return p.quantized }

// Authority adds a system that only the server runs, after Simulate: spawning,
// scoring, whatever clients must not decide. Where every peer simulates everything, under
// Rollback and Lockstep, all run it, and it depends on nothing but the world.
func (p *Protocol) Authority(name string, run func(*World)) {
	p.systems.authority = append(p.systems.authority, p.system(name, run))
}

// Leave says what happens to the world when a player goes for good. It runs when and where
// the function of [Join] does. What the player still owns after f is despawned. For an entity
// to stay, take its components.Owner away in f:
//
//	ecs.Remove[components.Owner](w, e)
//
// Without Leave all that the player owns is despawned. It panics when the protocol has a Leave
// already.
func (p *Protocol) Leave(f func(w *World, client uint32)) {
	p.mayChange("Leave")
	p.players.setLeave(f)
}

// Away says what happens to the world when the server begins to wait for a player whose session has ended, and again, with
// away false, when that player is back: f may mark what the player owns, hide it, or take it out of the game. It runs when
// and where the function of [Command] does. A player who does not come back leaves without another call: see
// [Protocol.Leave]. Without Away what the player owns stays as it is, with neutral input. It panics when the protocol has an
// Away already, as Command does.
func (p *Protocol) Away(f func(w *World, client uint32, away bool)) {
	if f == nil {
		panic("ecs: Away needs a function")
	}
	Command(p, func(w *World, client uint32, v *Presence) { f(w, client, v.Away) })
}

// Presence is the command by which a server says that a player is away or back: see [Protocol.Away]. It is for the netcode.
// Servers refuse it from clients.
type Presence struct{ Away bool }

// Players says what happens when players come and go.
func (p *Protocol) Players() *Players { return &p.players }

// mayChange refuses what comes after the protocol was put to use.
func (p *Protocol) mayChange(what string) {
	if p.frozen.Load() {
		panic(fmt.Sprintf("ecs: %s after protocol %q was put to use: complete it before NewWorld", what, p.name))
	}
}

// SimulateStage is a new stage of the systems that [Protocol.Simulate] added, in
// order, and of Carry, where [Carry] was called.
func (p *Protocol) SimulateStage() *Stage {
	s := NewStage("Simulate", p.systems.simulate...)
	if len(p.systems.carried) > 0 {
		s.Add(p.systems.carry)
	}
	return s
}

// AuthorityStage is a new stage of the systems that [Protocol.Authority] added,
// in order.
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

// Replicated lists what snapshots name, in registration order: the replicated
// components, and those of which only the presence is replicated. The first is
// always components.Owner.
func (p *Protocol) Replicated() []*Component { return p.replicated }

// Singletons lists the components registered with [Singleton], in that order: the i-th is on the entity of NetID i+1.
func Singletons(p *Protocol) []*Component { return p.singletons }

// Components lists what the entities of a game may have, in registration order:
// replicated components and local ones. The marks that the world and the netcode
// put on entities are not among them.
func (p *Protocol) Components() []*Component {
	var list []*Component
	for _, c := range p.all {
		if !p.hidden(c) {
			list = append(list, c)
		}
	}
	return list
}

// hidden reports whether a component says how this peer treats an entity, and not
// what the entity is.
func (p *Protocol) hidden(c *Component) bool {
	return c == p.core.self || c == p.core.netID || c == p.core.predicted || c == p.core.interpolated || c == p.core.suspended
}

// Input is the input component, or nil when the protocol has none.
func (p *Protocol) Input() *Component { return p.input }

// Lines is the canonical text of the protocol, one line a component, then what
// players do by coming and going, for peers to compare. Tolerances are not in it.
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

// Hash is the schema hash: equal on peers that can play together.
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
	for i, word := range [...]string{"predicted ", "interpolated ", "owner-only ", "client-owned "} {
		if m>>i&1 != 0 {
			s.WriteString(word)
		}
	}
	return s.String()
}

// need is ComponentOf for callers that cannot go on without.
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

// given is need for a component that the game gives or takes.
func (p *Protocol) given(t reflect.Type, call string) *Component {
	c := p.need(t)
	if c == p.core.self || c == p.core.netID || c == p.core.key {
		panic(fmt.Sprintf("ecs: %s: %s is given by the world and stays", call, c.Name))
	}
	if slices.Contains(p.singletons, c) {
		panic(fmt.Sprintf("ecs: %s: %s is a singleton, and the world has it: write that one, with Each", call, c.Name))
	}
	return c
}

// singletonOf is the singleton that lives on an entity with a NetID, nil where none does.
func (p *Protocol) singletonOf(id components.NetID) *Component {
	if id > 0 && int(id) <= len(p.singletons) {
		return p.singletons[id-1]
	}
	return nil
}

// maskOf is a set of replicated components as storage has it.
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
