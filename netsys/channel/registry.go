package channel

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// Registry is the set of message types on the channels. Build it with the same function on both sides: types are numbered
// in the order of registration, and [Registry.Lines] lets the handshake compare them. Do not change a registry after
// endpoints use it. Any number of endpoints, on any goroutines, can share it.
type Registry struct {
	channels []ChannelConfig
	types    []*kindOf
}

// MaxTypes is the largest number of types per registry.
const MaxTypes = 1024

// kindOf is a registered type.
type kindOf struct {
	number  int
	channel int
	table   *schema.Table
	plan    []step
	most    int // bytes of the longest message
}

// Type is a registered message type: values of T on one channel. A channel with types should carry nothing else.
type Type[T any] struct{ kindOf }

// NewRegistry returns a registry for the channels of a configuration. It panics if the configuration is invalid.
func NewRegistry(c Config) *Registry {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Registry{channels: c.withDefaults().Channels}
}

// Register makes T a message type of the named channel. T is a struct of plain values with net tags, as in package schema,
// including texts and lists of bounded length. The tags alone define which fields are sent and in how many bits.
//
// It panics with advice if the channel does not exist, the type is registered already, package schema refuses the type, its
// longest message exceeds the channel's limit, or there are more than [MaxTypes].
func Register[T any](r *Registry, channel string) *Type[T] {
	t := reflect.TypeFor[T]()
	number := slices.IndexFunc(r.channels, func(c ChannelConfig) bool { return c.Name == channel })
	if number < 0 {
		panic(fmt.Sprintf("channel: Register[%v]: the configuration has no channel %q", t, channel))
	}
	table, err := schema.Compile(t, nil)
	if err != nil {
		panic(fmt.Sprintf("channel: Register[%v]: %v", t, err))
	}
	for _, other := range r.types {
		if other.table.Type == t {
			panic(fmt.Sprintf("channel: Register[%v]: the type is registered already, on channel %q", t, r.channels[other.channel].Name))
		}
	}
	if len(r.types) == MaxTypes {
		panic(fmt.Sprintf("channel: Register[%v]: a registry has at most %d types", t, MaxTypes))
	}
	k := kindOf{number: len(r.types), channel: number, table: table, plan: newPlan(table)}
	total := 0
	for i := range k.plan {
		for w := range k.plan[i].words {
			total += int(k.plan[i].bits[w])
		}
	}
	k.most = codec.UvarintLen(uint64(k.number)) + (total+7)/8
	if most := r.channels[number].MaxMessage; k.most > most {
		panic(fmt.Sprintf("channel: Register[%v]: up to %d bytes, and channel %q takes %d: raise its MaxMessage", t, k.most, channel, most))
	}
	typ := &Type[T]{k}
	r.types = append(r.types, &typ.kindOf)
	return typ
}

// Lines returns the canonical text of the types, one line each, for the handshake to compare after [Config.Lines]. A nil
// Registry has no lines.
func (r *Registry) Lines() (lines []string) {
	if r == nil {
		return nil
	}
	for _, k := range r.types {
		lines = append(lines, fmt.Sprintf("message %d %s %s", k.number, r.channels[k.channel].Name, k.table.Line()))
	}
	return lines
}

// Channel returns the number of the type's channel.
func (t *Type[T]) Channel() int { return t.channel }

// MaxSize returns the length in bytes of the longest message of the type.
func (t *Type[T]) MaxSize() int { return t.most }

// Send queues a copy of a message. The errors are those of [Endpoint.Send].
func (t *Type[T]) Send(e *Endpoint, message *T) error {
	e.encoded = t.Append(e.encoded[:0], message)
	return e.Send(t.channel, e.encoded)
}

// Append appends the encoded message to dst: the number of its type, then its words in the minimal number of bits. Values
// outside their ranges are clamped as in [schema.Table.Quantize].
func (t *Type[T]) Append(dst []byte, message *T) []byte {
	return t.append(dst, unsafe.Pointer(message))
}

// Read decodes a message encoded by [Type.Append]. Fields that are not sent stay unchanged.
//
// On an error nothing is written: [ErrUnknownType] for another type, [codec.ErrShort], or [codec.ErrMalformed] for a word
// without a value, nonzero bits after the end, or a type number in too many bytes.
func (t *Type[T]) Read(b []byte, message *T) error {
	var in codec.ByteReader
	in.Reset(b)
	number := in.Uvarint()
	if err := in.Err(); err != nil {
		return err
	}
	if number != uint64(t.number) {
		return ErrUnknownType
	}
	return t.read(in.Next(in.Len()), unsafe.Pointer(message))
}

// AppendRefs appends the numbers of the entities that a message names in fields tagged ref to dst, without the zeros.
func (t *Type[T]) AppendRefs(dst []uint32, message *T) []uint32 {
	for i := range t.table.Fields {
		f := &t.table.Fields[i]
		if f.Form != schema.FormRef {
			continue
		}
		if id := *(*uint32)(unsafe.Add(unsafe.Pointer(message), f.Offset)); id != 0 {
			dst = append(dst, id)
		}
	}
	return dst
}

// Dispatcher calls the handler of each message's type. Peer identifies the sender for handlers, for example a session or a
// player. A dispatcher belongs to one goroutine; create one per world or server.
type Dispatcher[Peer any] struct {
	registry *Registry
	handlers []func(peer Peer, b []byte) error
}

// NewDispatcher returns a dispatcher without handlers for the types of a registry.
func NewDispatcher[Peer any](r *Registry) *Dispatcher[Peer] {
	return &Dispatcher[Peer]{registry: r, handlers: make([]func(Peer, []byte) error, MaxTypes)}
}

// Handle sets the handler for messages of type t. A message is valid during the call. Handle panics if the type already has
// a handler or belongs to another registry.
func Handle[T, Peer any](d *Dispatcher[Peer], t *Type[T], handle func(peer Peer, message *T)) {
	switch {
	case t.number >= len(d.registry.types) || d.registry.types[t.number] != &t.kindOf:
		panic(fmt.Sprintf("channel: Handle[%s]: the type belongs to another registry", t.table.Name))
	case d.handlers[t.number] != nil:
		panic(fmt.Sprintf("channel: Handle[%s]: the message has a handler already", t.table.Name))
	}
	var message T
	d.handlers[t.number] = func(peer Peer, b []byte) error {
		var zero T
		message = zero
		if err := t.Read(b, &message); err != nil {
			return err
		}
		handle(peer, &message)
		return nil
	}
}

// Deliver decodes a message from [Endpoint.Receive] and calls its handler. Errors: [ErrUnknownType], and those of
// [Type.Read]. A correct peer with the same lines causes an error only for a type without a handler.
func (d *Dispatcher[Peer]) Deliver(peer Peer, number int, message []byte) error {
	var in codec.ByteReader
	in.Reset(message)
	kind := in.Uvarint()
	if err := in.Err(); err != nil {
		return err
	}
	if kind >= uint64(len(d.registry.types)) || d.registry.types[kind].channel != number || d.handlers[kind] == nil {
		return ErrUnknownType
	}
	return d.handlers[kind](peer, message)
}
