package event

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/channel"
)

// Side is who may raise events of a type.
type Side uint8

// The sides; both together are both.
const (
	// FromServer events go to clients: [ToOwner], [ToViewers], [ToAll], [ToClient].
	FromServer Side = 1 << iota
	// FromClients events go to the server: [ToServer].
	FromClients
)

// String names the sides, as in [Registry.Lines].
func (s Side) String() string {
	switch s {
	case FromServer:
		return "from server"
	case FromClients:
		return "from clients"
	case FromServer | FromClients:
		return "from both"
	}
	return fmt.Sprintf("side %d", uint8(s))
}

// Options say how events of a type travel. The zero value is an event that the server
// tells clients of, reliably and in order.
type Options struct {
	// From is who may raise it. An event from elsewhere is a breach of the protocol.
	// Default (0): FromServer.
	From Side

	// Channel is the name of the channel that it travels on, whose kind says what is
	// promised: "event" of the default channels is reliable and ordered, "signal" is
	// unreliable. One that keeps the newest message only will not do. Default (""):
	// "event".
	Channel string

	// Final keeps what Simulate raises back until no rewrite can reach its tick any
	// more; what the last simulation of the tick did not raise is never sent. Without
	// it an event goes out with the step that raises it first, and cannot be
	// withdrawn. What is raised outside Simulate does not wait.
	Final bool

	// Early lets clients handle it as soon as it arrives. Without it they wait until
	// their confirmed state has reached its tick. It is for events from the server only.
	Early bool

	// Rate is how many of one client the server takes in a second of ticks, on
	// average. Default (0): 20. At most 10,000.
	Rate int
	// Burst is how many it takes at once. What a link held back for some seconds
	// arrives at once, so let it be Rate times these. Default (0): 4 times Rate. At
	// most 100,000. Rate, Burst and Tell are for events from clients only.
	Burst int

	// Tell makes the server tell a client that an event of it was refused: see
	// [Refusal].
	Tell bool
}

// Limits of Options.
const (
	DefaultRate = 20 // events a second, of one client and type
	maxRate     = 10_000
	maxBurst    = 100_000
)

// Validate reports what is wrong with o; it never changes it.
func (o Options) Validate() error {
	switch {
	case o.From > FromServer|FromClients:
		return fmt.Errorf("event: Options.From is %d: FromServer, FromClients or both", o.From)
	case o.Rate < 0 || o.Rate > maxRate:
		return fmt.Errorf("event: Options.Rate is %d: 1 to %d, or 0 for %d", o.Rate, maxRate, DefaultRate)
	case o.Burst < 0 || o.Burst > maxBurst:
		return fmt.Errorf("event: Options.Burst is %d: 1 to %d, or 0 for 4 times Rate", o.Burst, maxBurst)
	}
	switch from := o.withDefaults().From; {
	case from&FromClients == 0 && (o.Rate != 0 || o.Burst != 0 || o.Tell):
		return fmt.Errorf("event: Options.Rate, Burst and Tell are about events %v; From is %v", FromClients, from)
	case from&FromServer == 0 && o.Early:
		return fmt.Errorf("event: Options.Early is about events %v; From is %v", FromServer, from)
	}
	return nil
}

// withDefaults returns o with every zero replaced by what it means.
func (o Options) withDefaults() Options {
	o.From = cmp.Or(o.From, FromServer)
	o.Channel = cmp.Or(o.Channel, "event")
	o.Rate = cmp.Or(o.Rate, DefaultRate)
	o.Burst = cmp.Or(o.Burst, 4*o.Rate)
	return o
}

// Registry is the types of events of a game. Build it with the same function on server
// and clients: types are numbered in the order in which they are registered, and
// [Registry.Lines] says so to the handshake. It does not change once a [Server] or a
// [Client] uses it, and can then serve any number of them, on any goroutines.
type Registry struct {
	channels []channel.ChannelConfig
	messages *channel.Registry
	refusals *channel.Type[refusal] // nil when no type tells
	told     uint64                 // the number of refusals
	kinds    []*kind
	byType   map[reflect.Type]*kind
	byNumber map[uint64]*kind
}

// kind is a registered type.
type kind struct {
	options Options
	index   int    // in the order of registration
	number  uint64 // among all types of messages
	prefix  []byte // the number as bytes
	name    string
	handler string // of these events, in advice
	channel int
	promise channel.Kind
	bind    func() binding
}

// NewRegistry returns a registry for the channels of a configuration, which is the one
// of the sessions. It panics when that is not valid.
func NewRegistry(c channel.Config) *Registry {
	e, err := channel.New(c)
	if err != nil {
		panic(err)
	}
	return &Registry{
		channels: e.Config().Channels,
		messages: channel.NewRegistry(c),
		byType:   make(map[reflect.Type]*kind),
		byNumber: make(map[uint64]*kind),
	}
}

// Messages is the registry of messages that the events are in, for a game to register
// plain ones there too. They may share the channels: [Server.Receive] and
// [Client.Receive] tell them apart.
func (r *Registry) Messages() *channel.Registry { return r.messages }

// Lines is the canonical text of the types of messages and events, one line each, for
// peers to compare in place of [channel.Registry.Lines].
func (r *Registry) Lines() []string {
	lines := r.messages.Lines()
	for _, k := range r.kinds {
		lines[k.number] += " event " + k.options.From.String()
	}
	return lines
}

// Register makes T a type of event. T is a struct of plain values with net tags, as
// [channel.Register] has them.
//
// It panics with advice where channel.Register does, for options that are not valid,
// for a channel that keeps the newest message only, and for a type whose longest event
// the channel does not take.
func Register[T any](r *Registry, o Options) {
	t := reflect.TypeFor[T]()
	if err := o.Validate(); err != nil {
		panic(fmt.Sprintf("event: Register[%v]: %v", t, err))
	}
	o = o.withDefaults()
	if o.Tell && o.From&FromClients != 0 && r.refusals == nil {
		r.refusals = channel.Register[refusal](r.messages, o.Channel)
		r.told, _ = numberOf(r.refusals.Append(nil, &refusal{}))
	}
	typ := channel.Register[T](r.messages, o.Channel)
	c := &r.channels[typ.Channel()]
	if c.Kind == channel.UnreliableSequenced {
		panic(fmt.Sprintf("event: Register[%v]: channel %q is %v and keeps one message only", t, c.Name, c.Kind))
	}
	if most := typ.MaxSize() + maxHead; most > c.MaxMessage {
		panic(fmt.Sprintf("event: Register[%v]: up to %d bytes, and channel %q takes %d: raise its MaxMessage", t, most, c.Name, c.MaxMessage))
	}
	var zero T
	k := &kind{
		options: o,
		index:   len(r.kinds),
		name:    t.String(),
		handler: "the handler of event " + t.String(),
		channel: typ.Channel(),
		promise: c.Kind,
	}
	k.number, k.prefix = numberOf(typ.Append(nil, &zero))
	k.bind = func() binding { return &bound[T]{kind: k, typ: typ} }
	r.kinds = append(r.kinds, k)
	r.byType[t], r.byNumber[k.number] = k, k
}

// numberOf is the number that a message begins with, and its bytes.
func numberOf(message []byte) (n uint64, prefix []byte) {
	var in codec.ByteReader
	in.Reset(message)
	n = in.Uvarint()
	return n, message[:codec.UvarintLen(n)]
}

// kindOf is the kind of a type; it panics when there is none.
func (r *Registry) kindOf(call string, t reflect.Type) *kind {
	k := r.byType[t]
	if k == nil {
		panic(fmt.Sprintf("event: %s[%v]: register the type with Register, on every peer", call, t))
	}
	return k
}

// reliable reports whether the channel of the type loses nothing.
func (k *kind) reliable() bool {
	return k.promise == channel.ReliableOrdered || k.promise == channel.ReliableUnordered
}
