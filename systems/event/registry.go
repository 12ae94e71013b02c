package event

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys/channel"
)

// Side says which peers may raise events of a type.
type Side uint8

// The sides. Combine both with |.
const (
	// FromServer allows events to clients: [ToOwner], [ToViewers], [ToAll], [ToClient].
	FromServer Side = 1 << iota
	// FromClients allows events to the server: [ToServer].
	FromClients
)

// String returns the name of the side, as in [Registry.Lines].
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

// Options configure an event type. The zero value is for events from the server to clients, reliable and in order.
type Options struct {
	// From says which side may raise events of the type. Receiving one from the other side is a protocol error.
	// Default (0): FromServer.
	From Side

	// Channel is the name of the channel. Its kind determines delivery: of the default channels, "event" is reliable
	// and ordered, and "signal" is unreliable. A channel that keeps only the newest message is not allowed. Default
	// (""): "event".
	Channel string

	// Final delays events that Simulate raises until no rewrite can reach their tick. Events that the last simulation
	// of the tick did not raise are never sent. Without Final, an event is sent in the step that first raises it, and
	// cannot be withdrawn. Events raised outside of Simulate are not delayed.
	Final bool

	// Early lets clients handle the event when it arrives. Otherwise it waits until the confirmed state of the client
	// includes its tick. Under Rollback and Lockstep an early event that names entities waits as well. Only for events from
	// the server.
	Early bool

	// Rate is the average number of events a second that the server accepts from one client, in seconds of ticks.
	// Default (0): 20. At most 10,000.
	Rate int
	// Burst is how many events the server accepts at once. A link that stalls delivers all delayed events at once, so
	// allow Rate times the length of the longest stall in seconds. Default (0): 4 times Rate. At most 100,000. Rate,
	// Burst and Tell are only for events from clients.
	Burst int

	// Tell makes the server inform a client of refused events, see [Refusal].
	Tell bool
}

// Limits of Options.
const (
	DefaultRate = 20 // events a second of one client and type
	maxRate     = 10_000
	maxBurst    = 100_000
)

// Validate returns an error if o is not valid.
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
		return fmt.Errorf("event: Options.Rate, Burst and Tell are only for events %v, but From is %v", FromClients, from)
	case from&FromServer == 0 && o.Early:
		return fmt.Errorf("event: Options.Early is only for events %v, but From is %v", FromServer, from)
	}
	return nil
}

// withDefaults returns o with defaults in place of zeros.
func (o Options) withDefaults() Options {
	o.From = cmp.Or(o.From, FromServer)
	o.Channel = cmp.Or(o.Channel, "event")
	o.Rate = cmp.Or(o.Rate, DefaultRate)
	o.Burst = cmp.Or(o.Burst, 4*o.Rate)
	return o
}

// Registry is the list of event types of a game. Build it with the same function on server and clients: types are
// numbered in the order of registration, and the handshake compares [Registry.Lines]. It must not change once a
// [Server] or [Client] uses it. Then any number of them, on any goroutines, can share it.
type Registry struct {
	channels      []channel.ChannelConfig
	messages      *channel.Registry
	refusals      *channel.Type[refusal] // nil if no type has Tell
	refusalNumber uint64                 // message type number of refusals
	kinds         []*kind
	byType        map[reflect.Type]*kind
	byNumber      map[uint64]*kind
}

// kind is a registered event type.
type kind struct {
	options Options
	index   int    // in the order of registration
	number  uint64 // among all message types
	prefix  []byte // the encoded number
	name    string
	handler string // name of the handler, for panics with advice
	channel int
	promise channel.Kind
	bind    func() binding
}

// NewRegistry returns an empty registry for the channels of c, the configuration of the sessions. It panics if c is
// not valid.
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

// Messages returns the registry of messages that contains the events, so that a game can register plain messages too.
// Both may share channels: [Server.Receive] and [Client.Receive] tell them apart.
func (r *Registry) Messages() *channel.Registry { return r.messages }

// Lines returns the canonical text of all message and event types, one line each. Peers compare it instead of
// [channel.Registry.Lines].
func (r *Registry) Lines() []string {
	lines := r.messages.Lines()
	for _, k := range r.kinds {
		lines[k.number] += " event " + k.options.From.String()
	}
	return lines
}

// Register makes T an event type. T is a struct of plain values with net tags, see [channel.Register].
//
// It panics with advice if channel.Register does, if the options are not valid, if the channel keeps only the newest
// message, or if the longest event exceeds the channel's MaxMessage.
func Register[T any](r *Registry, o Options) {
	t := reflect.TypeFor[T]()
	if err := o.Validate(); err != nil {
		panic(fmt.Sprintf("event: Register[%v]: %v", t, err))
	}
	o = o.withDefaults()
	if o.Tell && o.From&FromClients != 0 && r.refusals == nil {
		r.refusals = channel.Register[refusal](r.messages, o.Channel)
		r.refusalNumber, _ = numberOf(r.refusals.Append(nil, &refusal{}))
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

// numberOf returns the type number at the start of a message, and its encoded bytes.
func numberOf(message []byte) (n uint64, prefix []byte) {
	var in codec.ByteReader
	in.Reset(message)
	n = in.Uvarint()
	return n, message[:codec.UvarintLen(n)]
}

// kindOf returns the registered kind of a Go type. It panics if there is none.
func (r *Registry) kindOf(call string, t reflect.Type) *kind {
	k := r.byType[t]
	if k == nil {
		panic(fmt.Sprintf("event: %s[%v]: register the type with Register, on every peer", call, t))
	}
	return k
}

// reliable reports whether the channel of the type is reliable.
func (k *kind) reliable() bool {
	return k.promise == channel.ReliableOrdered || k.promise == channel.ReliableUnordered
}
