package channel

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// Registry is the types of messages that travel on channels. Build it with the same function on both sides:
// types are numbered per registry in the order in which they are registered, and [Registry.Lines] says so to
// the handshake. It does not change once endpoints use it, and can then serve any number of them, on any
// goroutines.
type Registry struct {
	channels []ChannelConfig
	types    []*kindOf
}

// MaxTypes is the largest number of types of one registry.
const MaxTypes = 1024

// kindOf is a registered type.
type kindOf struct {
	number  int
	channel int
	table   *schema.Table
	plan    []step
	most    int // bytes of the longest message
}

// Type is a registered type of message: T's values travel on one channel. A channel that has types should carry
// nothing else.
type Type[T any] struct{ kindOf }

// NewRegistry returns a registry for the channels of a configuration. It panics when the configuration is not
// valid.
func NewRegistry(c Config) *Registry {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Registry{channels: c.withDefaults().Channels}
}

// Register makes T a type of message of the channel of that name. T is a struct of plain values with net tags,
// as package schema has them, texts and lists of bounded length included; tags alone decide what travels and
// in how many bits.
//
// It panics with advice: for a channel that there is not, a type that is there already, one that package schema
// refuses, one whose longest message the channel does not take, and above [MaxTypes].
func Register[T any](r *Registry, channel string) *Type[T] {
	t := reflect.TypeFor[T]()
	number := slices.IndexFunc(r.channels, func(c ChannelConfig) bool { return c.Name == channel })
	if number < 0 {
		panic(fmt.Sprintf("channel: Register[%v]: there is no channel %q", t, channel))
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
		panic(fmt.Sprintf("channel: Register[%v]: there are %d types already", t, MaxTypes))
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

// Lines is the canonical text of the types, one line each, for peers to compare behind [Config.Lines].
// A nil Registry has none.
func (r *Registry) Lines() (lines []string) {
	if r == nil {
		return nil
	}
	for _, k := range r.types {
		lines = append(lines, fmt.Sprintf("message %d %s %s", k.number, r.channels[k.channel].Name, k.table.Line()))
	}
	return lines
}

// Channel is the number of the channel that the type travels on.
func (t *Type[T]) Channel() int { return t.channel }

// MaxSize is the length in bytes of the longest message of the type.
func (t *Type[T]) MaxSize() int { return t.most }

// Send sends a message, which is copied. Errors are those of [Endpoint.Send].
func (t *Type[T]) Send(e *Endpoint, message *T) error {
	e.encoded = t.Append(e.encoded[:0], message)
	return e.Send(t.channel, e.encoded)
}

// Append appends the bytes of a message to dst: its type, then its words in as many bits as each needs. Values
// outside their ranges are clamped as [schema.Table.Quantize] does.
func (t *Type[T]) Append(dst []byte, message *T) []byte {
	return t.append(dst, unsafe.Pointer(message))
}

// Read reads the bytes of a message, as [Type.Append] made them and [Endpoint.Receive] delivers them. Fields
// that do not travel stay as they are.
//
// Errors, on which nothing is written: [ErrUnknownType] for bytes of another type, [codec.ErrShort], and
// [codec.ErrMalformed] for words that no value has, bits behind the end, and a type in too many bytes.
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

// Dispatcher calls the handler of each message's type. Peer is what handlers are told about the sender: a
// session, a player. It belongs to one goroutine; make one per world or server.
type Dispatcher[Peer any] struct {
	registry *Registry
	handlers []func(peer Peer, b []byte) error
}

// NewDispatcher returns a dispatcher without handlers for the types of a registry.
func NewDispatcher[Peer any](r *Registry) *Dispatcher[Peer] {
	return &Dispatcher[Peer]{registry: r, handlers: make([]func(Peer, []byte) error, MaxTypes)}
}

// Handle makes handle what is called for messages of type t. The message is valid during the call. It panics
// when the type has a handler, or belongs to another registry.
func Handle[T, Peer any](d *Dispatcher[Peer], t *Type[T], handle func(peer Peer, message *T)) {
	switch {
	case t.number >= len(d.registry.types) || d.registry.types[t.number] != &t.kindOf:
		panic(fmt.Sprintf("channel: Handle[%s]: the type belongs to another registry", t.table.Name))
	case d.handlers[t.number] != nil:
		panic(fmt.Sprintf("channel: Handle[%s]: there is a handler already", t.table.Name))
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

// Deliver reads a message that [Endpoint.Receive] delivered, and calls its handler. Errors: [ErrUnknownType],
// and those of [Type.Read]. No honest peer with the same lines causes one, but for a type without a handler.
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
