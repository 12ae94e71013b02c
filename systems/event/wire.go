package event

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
)

// An event is a message of a channel:
//
//	type   varint  its number among the types of messages
//	tick   varint  from a server, the tick; from a client, its input sequence
//	about  varint  from a server only: the NetID of the entity, 0 for none
//	words          the fields, as package channel writes them
//
// The number leads, so that plain messages can share a channel with events.

// maxHead is how many bytes an event has at most before its words, without the number.
const maxHead = 10 + resentHead

// ErrEvent is returned by Receive for bytes that no honest peer sends. It wraps
// [codec.ErrMalformed].
var ErrEvent = fmt.Errorf("event: not an event of this registry: %w", codec.ErrMalformed)

// binding is a type of events at one peer.
type binding interface {
	// read reads the words of an event.
	read(number, words []byte) error
	// judge and serve give what was read to the game, at a server.
	judge(w *ecs.World, from Sender) error
	serve(w *ecs.World, from Sender)
	// play does, at a client.
	play(w *ecs.World, at Origin)
	// handled reports whether there is somebody to give it to.
	handled() bool
}

// bound is the binding of type T. The values are here because what is passed by
// pointer to the coder would be allocated with each call otherwise; a handler may
// raise the type that it handles, so there are two.
type bound[T any] struct {
	kind     *kind
	typ      *channel.Type[T]
	in, out  T
	scratch  []byte
	handlers Handlers[T]
	handle   func(w *ecs.World, at Origin, v *T)
}

// append appends the bytes of an event.
func (b *bound[T]) append(dst []byte, tick, about uint32, fromServer bool, v T) []byte {
	b.out = v
	b.scratch = b.typ.Append(b.scratch[:0], &b.out)
	dst = append(dst, b.kind.prefix...)
	dst = codec.AppendUvarint(dst, uint64(tick))
	if fromServer {
		dst = codec.AppendUvarint(dst, uint64(about))
	}
	return append(dst, b.scratch[len(b.kind.prefix):]...)
}

func (b *bound[T]) read(number, words []byte) error {
	b.scratch = append(append(b.scratch[:0], number...), words...)
	var zero T
	b.in = zero
	if err := b.typ.Read(b.scratch, &b.in); err != nil {
		return fmt.Errorf("%w: %w", ErrEvent, err)
	}
	return nil
}

func (b *bound[T]) judge(w *ecs.World, from Sender) error {
	if b.handlers.Validate == nil {
		return nil
	}
	return b.handlers.Validate(w, from, &b.in)
}

func (b *bound[T]) serve(w *ecs.World, from Sender) { b.handlers.Handle(w, from, &b.in) }
func (b *bound[T]) play(w *ecs.World, at Origin)    { b.handle(w, at, &b.in) }
func (b *bound[T]) handled() bool                   { return b.handle != nil || b.handlers.Handle != nil }

// head is what an event begins with.
type head struct {
	kind        *kind
	tick, about uint32
	words       []byte
}

// number reads the number of a message's type.
func number(in *codec.ByteReader, message []byte) (uint64, error) {
	in.Reset(message)
	n := in.Uvarint()
	if err := in.Err(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	return n, nil
}

// readHead reads what follows the number of an event that came on a channel.
func (k *kind) readHead(in *codec.ByteReader, number int, fromServer bool) (h head, err error) {
	side := FromClients
	if fromServer {
		side = FromServer
	}
	if k.channel != number || k.options.From&side == 0 {
		return head{}, fmt.Errorf("%w: %s %v on channel %d", ErrEvent, k.name, side, number)
	}
	tick, about := in.Uvarint(), uint64(0)
	if fromServer {
		about = in.Uvarint()
	}
	if err := in.Err(); err != nil {
		return head{}, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	if tick > math.MaxUint32 || about > math.MaxUint32 {
		return head{}, fmt.Errorf("%w: tick %d about %d", ErrEvent, tick, about)
	}
	return head{k, uint32(tick), uint32(about), in.Next(in.Len())}, nil
}
