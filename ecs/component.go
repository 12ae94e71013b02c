package ecs

import (
	"fmt"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
)

// Mode says what the netcode does with a component. Modes combine.
type Mode uint8

const (
	// Predicted components are simulated ahead by the client that owns the
	// entity, and corrected when the server disagrees. They travel to their
	// owner at full precision.
	//
	// A field tagged "server" is the server's decision: health that Authority takes, a score, a
	// flag. Simulate may read it, and write it. Where what the server says differs from what was
	// predicted in such fields alone, its values replace the predicted ones, from that input on up
	// to the present, and nothing is simulated again; so what Simulate did to such a field
	// since then is gone until the server tells of it. Keep a deadline as a tick, then, and not
	// as a countdown. Where something else was wrong all is simulated again from the server's
	// values. A component without Predicted is the newest that the server told, on own
	// entities too. Where every peer simulates everything the word has no effect.
	Predicted Mode = 1 << iota
	// Interpolated components are drawn, on entities that a client does not
	// predict, between two confirmed states. Without it the newer state is
	// drawn as soon as its time has come.
	Interpolated
	// OwnerOnly components travel to the client that owns the entity and to
	// nobody else: what others may not know never leaves the server. Where every peer simulates
	// everything, under Rollback and Lockstep, all have it.
	OwnerOnly
	// ClientOwned components are written by a client, in its own world: by the owner
	// of the entity, unless the server says otherwise. They are for what no rule of
	// the game depends on, such as a cursor or a camera, and so they cannot be
	// Predicted, and Simulate cannot read them.
	ClientOwned
)

// Component describes one registered component type.
type Component struct {
	// Name is the type's name, as in the protocol's lines.
	Name string
	// Mode is what was given at registration.
	Mode Mode
	// Schema is the field table; nil for local components.
	Schema *schema.Table
	// Words is the number of words that the component has in a snapshot. It is
	// 0 where only the presence is replicated: for the input, and for local
	// components that are predicted.
	Words int
	// Speeds holds the speeds along the axes of this component, for a curved way; nil
	// where it is drawn in straight lines. See [Hermite].
	Speeds *Component
	// Beyond is for how long views carry it on; 0: not at all. See [Extrapolate].
	Beyond time.Duration

	typ        reflect.Type
	index      int // in the protocol, and so the bit in a table's mask
	replicated int // among replicated components, in registration order; -1
	size       uintptr
	values     valueLayout
}

// Replicated is the component's place among those that snapshots name, in order
// of registration, or -1 when it never leaves its peer.
func (c *Component) Replicated() int { return c.replicated }

// maxReplicated bounds the replicated components of a protocol, so that a set
// of them is one word.
const maxReplicated = 64

// maxComponents bounds all components of a protocol, the world's own seven
// included. Beyond it arche v0.15.3, which counts column layouts by sixteens in
// a byte, makes archetypes without any.
const maxComponents = 240

// Replicate registers T, one line a component: the server sends it to clients,
// quantized as its struct tags say (see [schema.Compile] for the tags).
//
// It panics when T holds pointers, a field has no tag, or T is registered
// already: a protocol is code, and wrong code should not start.
func Replicate[T any](p *Protocol, mode Mode) { ReplicateFields[T](p, mode, nil) }

// ReplicateFields is [Replicate] for types whose tags are missing or do not
// fit: fields gives the tag text by field path and replaces the tags.
func ReplicateFields[T any](p *Protocol, mode Mode, fields schema.Fields) {
	replicate(p, reflect.TypeFor[T](), mode, fields)
}

func replicate(p *Protocol, t reflect.Type, mode Mode, fields schema.Fields) {
	if mode&^(Predicted|Interpolated|OwnerOnly|ClientOwned) != 0 {
		panic(fmt.Sprintf("ecs: Replicate[%s]: unknown mode %#x", t, mode))
	}
	if mode&ClientOwned != 0 && mode&Predicted != 0 {
		panic(fmt.Sprintf("ecs: Replicate[%s]: Predicted state follows from inputs, so it cannot be ClientOwned; make it two components", t))
	}
	table, err := schema.Compile(t, fields)
	if err != nil {
		panic(fmt.Errorf("ecs: Replicate[%s]: %w", t, err))
	}
	p.add(t, mode, table, true).Words = table.Words
}

// Local registers T as a component whose values stay on their own peer. With
// [Predicted], clients give it, zero at first, to the same entities as the
// server does, and re-simulation restores it together with the replicated
// state: use that for what Simulate keeps between ticks, such as a cooldown
// that others need not see. It panics as [Replicate] does; T needs no tags.
func Local[T any](p *Protocol, mode Mode) {
	t := reflect.TypeFor[T]()
	if mode&^Predicted != 0 {
		panic(fmt.Sprintf("ecs: Local[%s]: the mode of a local component is 0 or Predicted", t))
	}
	p.add(t, mode, nil, mode != 0)
}

// Input registers T as what a client sends every tick. The server puts it on
// the entities that the client owns, and so does the client itself when it
// predicts, before Simulate runs. A field tagged "edge" (a press, not a hold)
// is cleared when the server must repeat an input that did not arrive.
//
// An entity whose owner has no client gets the neutral input before each Simulate:
// zeros, or the values closest to them. So whatever drives it, such as the rules of a
// bot, writes the input within Simulate, before those who read it.
//
// It panics as [Replicate] does, and when the protocol has an input already.
func Input[T any](p *Protocol) {
	t := reflect.TypeFor[T]()
	if p.input != nil {
		panic(fmt.Sprintf("ecs: Input[%s]: the protocol has an input already, %s; make it one struct", t, p.input.Name))
	}
	table, err := schema.Compile(t, nil)
	if err != nil {
		panic(fmt.Errorf("ecs: Input[%s]: %w", t, err))
	}
	p.input = p.add(t, 0, table, true)
}

// Join says what happens to the world when a player comes: f spawns what is its own, with
// components.Owner{Client: client}. v is what the client asks to be; take struct{} where it
// asks for nothing. T has net tags, as components have, and at most [MaxRequest] bytes.
//
// f runs at the begin of the player's first tick, before inputs are given and Simulate runs:
// on the server alone where it tells clients of states, again whenever it simulates that tick
// again, and on every peer where each simulates everything. So, like Simulate, it depends on
// nothing but the world and v.
//
// It panics when the protocol has a Join already, and as [Replicate] does.
func Join[T any](p *Protocol, f func(w *World, client uint32, v *T)) {
	p.mayChange("Join")
	p.players.setJoin(newRequest("Join", f))
}

// Command says what a client can do to the world that is no input: it renames itself, chooses a team, buys. A client
// gives one with systems.Command, the server in a client's name with systems.CommandFor. f runs in the world of
// Simulate, at the begin of a tick that the server chooses, the next one (under Rollback and Lockstep a later one while
// clients have not heard of many before it): behind who leaves and comes in that
// tick, and before its inputs. In a tick all of one client run in the order in which they were given, and clients in
// the order of their numbers. It runs where the function of [Join] does: on the server alone under LocalSync, Buffered
// and CorrectOnMismatch, again in ticks that the server simulates again under ServerRewind, and on every peer under
// Rollback and Lockstep. There, too, nobody predicts a command, its own client neither: it runs when the server has
// told it. So f depends on nothing but the world and v, and bears a client that is not there any more, and 0, which is
// nobody.
//
// T is a struct with net tags, of at most [MaxRequest] bytes. *v is f's own: each run gets it as it was sent. A value out
// of range is taken for the nearest in it; what else may be wrong with it is for f, or for ServerConfig.RefuseCommands of
// package systems, to find. A protocol has up to 64 kinds of commands. It panics when there are more, when
// that type has a command already, and as [Replicate] does.
func Command[T any](p *Protocol, f func(w *World, client uint32, v *T)) {
	p.mayChange("Command")
	p.players.addCommand(newRequest("Command", f))
}

// ComponentOf is the description of T, or nil when p does not know it.
func ComponentOf[T any](p *Protocol) *Component { return p.byType[reflect.TypeFor[T]()] }

// Component is [ComponentOf] by reflection.
func (p *Protocol) Component(t reflect.Type) *Component { return p.byType[t] }

// add registers a type and its field table, if any, and refuses what storage cannot hold.
// replicated says that snapshots name it.
func (p *Protocol) add(t reflect.Type, mode Mode, table *schema.Table, replicated bool) *Component {
	p.mayChange(t.String())
	if p.byType[t] != nil {
		panic(fmt.Sprintf("ecs: %s is registered already", t))
	}
	if err := schema.CheckPlain(t); err != nil {
		panic(fmt.Errorf("ecs: %s cannot be a component: %w", t, err))
	}
	if table != nil && len(table.Server) > 0 && mode&Predicted == 0 {
		panic(fmt.Sprintf("ecs: %s.%s is tagged server, which is for fields of components that are Predicted: leave the word out, all of an input is the client's, and what is not Predicted is the server's anyway", t, table.Fields[table.Server[0]].Path))
	}
	if len(p.all) == maxComponents {
		panic(fmt.Sprintf("ecs: %s: a protocol holds at most %d components", t, maxComponents))
	}
	if replicated && len(p.replicated) == maxReplicated {
		panic(fmt.Sprintf("ecs: %s: a protocol holds at most %d replicated components", t, maxReplicated))
	}
	c := &Component{Name: t.Name(), Mode: mode, Schema: table, typ: t, index: len(p.all), replicated: -1, size: t.Size(), values: newValueLayout(t, table)}
	if c.Name == "" {
		c.Name = t.String()
	}
	p.all = append(p.all, c)
	p.byType[t] = c
	if replicated {
		c.replicated = len(p.replicated)
		p.replicated = append(p.replicated, c)
	}
	return c
}

// known is need for a component whose values a system reads.
func (w *World) known(t reflect.Type) *Component {
	c := w.setup.protocol.need(t)
	if c.Mode&ClientOwned != 0 && w.clock.simulating > 0 {
		refuseForeign(c.Name)
	}
	return c
}

// refuseForeign stops a system of Simulate from reading what a client wrote.
func refuseForeign(name string) {
	panic(fmt.Sprintf("ecs: Simulate reads %s, which is ClientOwned: what it needs to know of a client belongs in the input", name))
}

// Hermite makes views draw T, which is [Interpolated], on cubic Hermite curves in place
// of straight lines. The speeds at the ends are the rate fields of V, which may be T
// itself; T's are the axis fields. See [schema.Table.Hermite]. A curve depends on the two
// states that it leads between and on nothing else, so lag compensation reproduces it.
// Nothing else travels for it, and it is no part of [Protocol.Hash].
//
// It panics when T and V are not registered, or not so that everybody who is told of T
// is told of V, or have no such fields:
//
//	type Place struct{ X, Y float32 }
//	fields := schema.Fields{"X": "-512..512 step 0.01 axis x", "Y": "-512..512 step 0.01 axis y"}
func Hermite[T, V any](p *Protocol) {
	c := p.drawn(reflect.TypeFor[T](), "Hermite")
	v := ComponentOf[V](p)
	switch {
	case v == nil || v.Words == 0:
		panic(fmt.Sprintf("ecs: Hermite[%s]: %s is not replicated; call Replicate for it first", c.Name, reflect.TypeFor[V]()))
	case v.Mode&OwnerOnly != c.Mode&OwnerOnly:
		panic(fmt.Sprintf("ecs: Hermite[%s]: %s and %s must both be OwnerOnly, or neither", c.Name, c.Name, v.Name))
	case !c.Schema.Rates(v.Schema):
		panic(fmt.Sprintf(`ecs: Hermite[%s]: tag its places "axis x" and so on, and their speeds in %s "rate x" and so on`, c.Name, v.Name))
	}
	c.Speeds = v
}

// Extrapolate makes views carry T, which is [Interpolated], on for at most most beyond
// the newest state that was confirmed of an entity: at its speed where [Hermite] says
// which that is, else as it went from the state before to that one. What proves wrong
// goes away as the visual error of a correction does. It panics when T is not registered,
// or most is not above 0 and at most a second.
//
// Views are behind by enough that hardly a frame needs it, see systems.ClientStats.Stalls;
// it is for links that go silent, and for entities that the budget makes wait. Lag
// compensation knows of states only: who aims at what is carried on aims ahead of them.
func Extrapolate[T any](p *Protocol, most time.Duration) {
	c := p.drawn(reflect.TypeFor[T](), "Extrapolate")
	if most <= 0 || most > time.Second {
		panic(fmt.Sprintf("ecs: Extrapolate[%s]: %v is not above 0 and at most 1s", c.Name, most))
	}
	c.Beyond = most
}

// drawn is an interpolated component of which call says how to draw it.
func (p *Protocol) drawn(t reflect.Type, call string) *Component {
	c := p.byType[t]
	p.mayChange(fmt.Sprintf("%s[%s]", call, t))
	if c == nil || c.Mode&Interpolated == 0 {
		panic(fmt.Sprintf("ecs: %s[%s]: call Replicate[%s] with Interpolated first", call, t, t))
	}
	return c
}
