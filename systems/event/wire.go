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
//	type   varint  number among the message types
//	tick   varint  from a client, the input sequence; from a server, twice the tick, plus 1 if late follows
//	late   varint  not 0: how many ticks the server had simulated past the tick when a simulation of it raised the event
//	about  varint  from a server only: the NetID of the entity, 0 for none
//	words          the fields, encoded by package channel
//
// The type comes first, so that plain messages can share a channel with events.

// maxHead is the maximum length in bytes of an event before its words, without the type.
const maxHead = 15 + resentHead

// ErrEvent is returned by Receive for bytes that no correct peer sends. It wraps [codec.ErrMalformed].
var ErrEvent = fmt.Errorf("event: malformed event: %w", codec.ErrMalformed)

// binding decodes and handles one event type at one peer.
type binding interface {
	// read decodes the words of an event into the binding.
	read(number, words []byte) error
	// validate and serve call the server's handlers with the decoded event.
	validate(w *ecs.World, from Sender) error
	serve(w *ecs.World, from Sender)
	// play calls the client's handler with the decoded event.
	play(w *ecs.World, at Origin)
	// appendRefs appends the entities that the fields of the decoded event name.
	appendRefs(dst []uint32) []uint32
	// handled reports whether the type has a handler.
	handled() bool
}

// bound is the binding of type T. The decoded and encoded values are fields, because passing their addresses to the
// coder would otherwise allocate on each call. There are two, because a handler may raise the type that it handles.
type bound[T any] struct {
	kind     *kind
	typ      *channel.Type[T]
	in, out  T
	scratch  []byte
	handlers Handlers[T]
	handle   func(w *ecs.World, at Origin, v *T)
}

// append appends the encoded fields of an event.
func (b *bound[T]) append(dst []byte, v T) []byte {
	b.out = v
	b.scratch = b.typ.Append(b.scratch[:0], &b.out)
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

func (b *bound[T]) validate(w *ecs.World, from Sender) error {
	if b.handlers.Validate == nil {
		return nil
	}
	return b.handlers.Validate(w, from, &b.in)
}

func (b *bound[T]) appendRefs(dst []uint32) []uint32 {
	return b.typ.AppendRefs(dst, &b.in)
}

func (b *bound[T]) serve(w *ecs.World, from Sender) { b.handlers.Handle(w, from, &b.in) }
func (b *bound[T]) play(w *ecs.World, at Origin)    { b.handle(w, at, &b.in) }
func (b *bound[T]) handled() bool                   { return b.handle != nil || b.handlers.Handle != nil }

// head is the header of an event.
type head struct {
	kind        *kind
	tick, about uint32
	late        uint32 // ticks from tick to the newest one that was simulated when the event was raised
	words       []byte
}

// append appends the encoded header. The fields follow it.
func (h *head) append(dst []byte, fromServer bool) []byte {
	dst = append(dst, h.kind.prefix...)
	switch {
	case !fromServer:
		dst = codec.AppendUvarint(dst, uint64(h.tick))
	case h.late == 0:
		dst = codec.AppendUvarint(dst, 2*uint64(h.tick))
	default:
		dst = codec.AppendUvarint(dst, 2*uint64(h.tick)+1)
		dst = codec.AppendUvarint(dst, uint64(h.late))
	}
	if fromServer {
		dst = codec.AppendUvarint(dst, uint64(h.about))
	}
	return dst
}

// messageType reads the type number of a message.
func messageType(in *codec.ByteReader, message []byte) (uint64, error) {
	in.Reset(message)
	n := in.Uvarint()
	if err := in.Err(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	return n, nil
}

// readHead reads the header of an event after its type number. number is the channel on which it arrived.
func (k *kind) readHead(in *codec.ByteReader, number int, fromServer bool) (h head, err error) {
	side := FromClients
	if fromServer {
		side = FromServer
	}
	if k.channel != number || k.options.From&side == 0 {
		return head{}, fmt.Errorf("%w: %s %v on channel %d", ErrEvent, k.name, side, number)
	}
	tick, late, about := in.Uvarint(), uint64(0), uint64(0)
	if fromServer {
		if tick&1 != 0 {
			if late = in.Uvarint(); late == 0 && in.Err() == nil {
				return head{}, fmt.Errorf("%w: late by 0 ticks", ErrEvent)
			}
		}
		tick, about = tick/2, in.Uvarint()
	}
	if err := in.Err(); err != nil {
		return head{}, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	if late > math.MaxUint32 || tick+late > math.MaxUint32 || about > math.MaxUint32 {
		return head{}, fmt.Errorf("%w: tick %d and %d more about %d", ErrEvent, tick, late, about)
	}
	return head{k, uint32(tick), uint32(about), uint32(late), in.Next(in.Len())}, nil
}
