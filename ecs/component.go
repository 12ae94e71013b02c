package ecs

import (
	"cmp"
	"fmt"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
)

// Mode says how the netcode treats a component. Combine modes with |.
type Mode uint8

const (
	// Predicted components are simulated by the client that owns the entity, ahead of the server, and corrected if the
	// server disagrees. The server sends them to the owner in full precision.
	//
	// The server alone decides a field with the tag word server, such as health, a score or a flag. Simulate may read and
	// write it. If the server's state differs from the prediction only in such fields, the server's values replace the
	// predicted ones from that input up to the present, without simulating again. Changes that Simulate made to the field
	// since then are lost until the server sends them. So store a deadline as a tick instead of a countdown. If other
	// fields differ too, everything is simulated again from the server's values. A component without Predicted always has
	// the newest value from the server, on the client's own entities too. If every peer simulates everything, the tag word
	// has no effect.
	Predicted Mode = 1 << iota
	// Interpolated components are drawn between two confirmed states, on entities that the client does not predict. Other
	// components change to the newer state at its time.
	Interpolated
	// OwnerOnly components are sent only to the client that owns the entity, so other clients cannot learn them. If every
	// peer simulates everything, under Rollback and Lockstep, all peers have them.
	OwnerOnly
)

// Component describes a registered component type.
type Component struct {
	// Name is the name of the type, as in the lines of the protocol.
	Name string
	// Mode is the mode given at registration.
	Mode Mode
	// Schema is the field table, nil for local components.
	Schema *schema.Table
	// Words is the number of words of the component in a snapshot. It is 0 if only its presence is replicated: for the
	// input, and for predicted local components.
	Words int
	// Speeds is the component with the speeds along the axes of this component, if it is drawn on curves, else nil. See
	// [Hermite].
	Speeds *Component
	// Beyond is the longest time for which views extrapolate the component; 0 means two sends. See [Extrapolate].
	Beyond time.Duration

	typ        reflect.Type
	index      int // in the protocol, and so the bit in a table's mask
	replicated int // among replicated components, in registration order; -1
	size       uintptr
	values     valueLayout
	was        []string // earlier names in saves
}

// Replicated returns the index of the component among the replicated components, in the order of registration, or −1 if it
// is not replicated.
func (c *Component) Replicated() int { return c.replicated }

// maxReplicated is the largest number of replicated components of a protocol, so that a set of them is a uint64.
const maxReplicated = 64

// maxComponents is the largest number of components of a protocol, including the seven built-in ones. With more, arche
// v0.15.3 creates archetypes without components, because it counts column layouts in units of sixteen in a byte.
const maxComponents = 240

// Replicate registers the component T. The server sends it to clients, quantized according to its struct tags. Package
// codec/schema describes the tags.
//
// Replicate panics if T contains pointers, a field has no tag, or T is registered already.
func Replicate[T any](p *Protocol, mode Mode) { ReplicateFields[T](p, mode, nil) }

// ReplicateFields is [Replicate] for types with missing or unsuitable tags. fields gives the tags by field path and
// replaces the struct tags.
func ReplicateFields[T any](p *Protocol, mode Mode, fields schema.Fields) {
	replicate(p, reflect.TypeFor[T](), mode, fields)
}

func replicate(p *Protocol, t reflect.Type, mode Mode, fields schema.Fields) {
	if mode&^(Predicted|Interpolated|OwnerOnly) != 0 {
		panic(fmt.Sprintf("ecs: Replicate[%s]: unknown mode %#x", t, mode))
	}
	table, err := schema.Compile(t, fields)
	if err != nil {
		panic(fmt.Errorf("ecs: Replicate[%s]: %w", t, err))
	}
	p.add(t, mode, table, true).Words = table.Words
}

// Local registers the component T, whose values stay on their peer. With [Predicted], clients give it, initially zero, to
// the same entities as the server, and re-simulation restores it together with the replicated state. Use this for state
// that Simulate keeps between ticks and other clients do not need, such as a cooldown. Local panics like [Replicate], but T
// needs no tags.
func Local[T any](p *Protocol, mode Mode) {
	t := reflect.TypeFor[T]()
	if mode&^Predicted != 0 {
		panic(fmt.Sprintf("ecs: Local[%s]: the mode of a local component is 0 or Predicted", t))
	}
	p.add(t, mode, nil, mode != 0)
}

// Input registers T as the input that a client sends every tick. Before Simulate runs, the server sets it on the entities
// that the client owns, and the predicting client does the same. If an input is missing, the server repeats the previous
// one with the fields tagged "edge", such as a key press, cleared.
//
// If the owner of an entity has no client, the entity gets the neutral input before each Simulate: zeros, or the values
// closest to zero. So the rules of a bot must write the input within Simulate, before the systems that read it.
//
// Input panics like [Replicate], and if the protocol already has an input.
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

// Join registers the function that adds a joining player to the world. f spawns the player's entities, with
// components.Owner{Client: client}. v is the value that the client sent with its request; use struct{} for T if there is
// none. T is a struct with net tags of at most [MaxRequest] bytes.
//
// f runs at the start of the player's first tick, before inputs are set and Simulate runs. If the server sends states to
// clients, f runs only on the server, and again if the server simulates that tick again. If every peer simulates
// everything, f runs on all peers. So f must depend only on the world and v, like Simulate.
//
// Join panics if the protocol already has a Join, and like [Replicate].
func Join[T any](p *Protocol, f func(w *World, client uint32, v *T)) {
	p.mayChange("Join")
	p.players.setJoin(newRequest("Join", f))
}

// Command registers a request that a client can make besides inputs, such as changing its name, choosing a team or buying
// an item. A client sends one with systems.Command. The server makes one for a client with systems.CommandFor.
//
// f runs in the world of Simulate, at the start of a tick that the server chooses, usually the next tick. Under Rollback
// and Lockstep it is a later tick while clients have not received many ticks before it. Within the tick, commands run after
// players leave and join and before inputs are set: ordered by client number, and for each client in the order of the
// requests. Under LocalSync, Buffered and CorrectOnMismatch, f runs only on the server. Under ServerRewind it runs again in
// ticks that the server simulates again. Under Rollback and Lockstep it runs on every peer. No peer predicts a command, not
// even that of its own client: it runs when the server has announced it. So f must depend only on the world and v, and must
// accept the number of a client that has left, and 0 for no client.
//
// T is a struct with net tags of at most [MaxRequest] bytes. Each run gets its own copy *v of the value sent. Values out of
// range become the nearest value in the range; f, or ServerConfig.Players.RefuseCommands of package systems, must check everything
// else. A protocol has up to 64 commands. Command panics if there are more, if T is already a command, and like
// [Replicate].
func Command[T any](p *Protocol, f func(w *World, client uint32, v *T)) {
	p.mayChange("Command")
	p.players.addCommand(newRequest("Command", f))
}

// ComponentOf returns the description of T, or nil if T is not registered in p.
func ComponentOf[T any](p *Protocol) *Component { return p.byType[reflect.TypeFor[T]()] }

// Component returns the description of a type, or nil if it is not registered.
func (p *Protocol) Component(t reflect.Type) *Component { return p.byType[t] }

// add registers a type with its field table, if any, and panics if storage cannot hold it. replicated says whether
// snapshots include it.
func (p *Protocol) add(t reflect.Type, mode Mode, table *schema.Table, replicated bool) *Component {
	p.mayChange(t.String())
	if p.byType[t] != nil {
		panic(fmt.Sprintf("ecs: %s is registered already", t))
	}
	if err := schema.CheckPlain(t); err != nil {
		panic(fmt.Errorf("ecs: %s cannot be a component: %w", t, err))
	}
	if table != nil && len(table.Server) > 0 && mode&Predicted == 0 {
		panic(fmt.Sprintf("ecs: %s.%s has the tag server, which only fields of Predicted components may have: remove it; the client decides inputs, and the server decides components that are not Predicted", t, table.Fields[table.Server[0]].Path))
	}
	if len(p.all) == maxComponents {
		panic(fmt.Sprintf("ecs: %s: a protocol holds at most %d components", t, maxComponents))
	}
	if replicated && len(p.replicated) == maxReplicated {
		panic(fmt.Sprintf("ecs: %s: a protocol holds at most %d replicated components", t, maxReplicated))
	}
	values, err := newValueLayout(t, table)
	was, wrong := earlierNames(t)
	if err = cmp.Or(err, wrong); err != nil {
		panic(fmt.Errorf("ecs: %s.%w", t, err))
	}
	c := &Component{Name: t.Name(), Mode: mode, Schema: table, typ: t, index: len(p.all), replicated: -1, size: t.Size(), values: values, was: was}
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

// Hermite makes views draw the [Interpolated] component T on cubic Hermite curves instead of straight lines. The axis
// fields of T give the positions, the rate fields of V the speeds at the ends. V may be T. See [schema.Table.Hermite]. A
// curve depends only on the two states that it connects, so lag compensation reproduces it. Hermite sends no additional
// data and is not part of [Protocol.Hash].
//
// It panics if T or V is not registered, if some clients would receive T but not V, or if such fields are missing:
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

// Extrapolate makes views continue the [Interpolated] component T beyond the newest confirmed state of an entity for longer than
// two sends, which they do for every such component, and at most for the duration most. With [Hermite] it uses the speed,
// otherwise the change between the last two states. Errors fade like the visual error of a correction. Extrapolate panics if T is
// not registered, or if most is not above 0 and at most a second.
//
// The delay of views is large enough that few frames need it, see systems.ClientStats.Extrapolated. It is for links that pause
// and for entities that wait for the budget. Lag compensation uses confirmed states only: a player who aims at an
// extrapolated entity aims ahead of it.
func Extrapolate[T any](p *Protocol, most time.Duration) {
	c := p.drawn(reflect.TypeFor[T](), "Extrapolate")
	if most <= 0 || most > time.Second {
		panic(fmt.Sprintf("ecs: Extrapolate[%s]: %v is not above 0 and at most 1s", c.Name, most))
	}
	c.Beyond = most
}

// drawn returns an interpolated component for the function named call, and panics if t is not one.
func (p *Protocol) drawn(t reflect.Type, call string) *Component {
	c := p.byType[t]
	p.mayChange(fmt.Sprintf("%s[%s]", call, t))
	if c == nil || c.Mode&Interpolated == 0 {
		panic(fmt.Sprintf("ecs: %s[%s]: call Replicate[%s] with Interpolated first", call, t, t))
	}
	return c
}
