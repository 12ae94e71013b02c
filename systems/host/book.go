package host

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
)

// Book lists the types of messages, events and outcomes that a host exchanges with its client. Each list is numbered in the
// order of the calls to [Message], [Event] and [Outcome]. The zero value lists nothing. A Book must not change after the
// first [New] that uses it. Several hosts can share one.
type Book struct {
	messages, events, outcomes []entry
}

// entry is one type of the book.
type entry struct {
	clean     sanitizer
	subscribe func(to *subscriptions)               // nil if clients only send this type
	send      func(h *Host, v unsafe.Pointer) error // nil if clients only receive this type
}

// subscriptions holds the registries in which one host subscribes to its types.
type subscriptions struct {
	host     *Host
	messages *channel.Dispatcher[*Host]
	events   *event.Client
	outcomes *outcome.Log
}

// newEntry describes the type T. It panics if a field lacks a net tag, as the registries do.
func newEntry[T any](call string) entry {
	t, err := schema.Compile(reflect.TypeFor[T](), nil)
	if err != nil {
		panic(fmt.Errorf("host: %s[%v]: %w", call, reflect.TypeFor[T](), err))
	}
	return entry{clean: newSanitizer(t)}
}

// Message adds T to the messages of the book. The host receives them as [NewsMessage] and sends them with [Host.Send]. t
// must come from Client.Messages, or from the registry of Client.Events.
func Message[T any](b *Book, t *channel.Type[T]) {
	e, which := newEntry[T]("Message"), uint16(len(b.messages))
	e.subscribe = func(to *subscriptions) {
		channel.Handle(to.messages, t, func(h *Host, v *T) {
			h.news.add(News{Kind: NewsMessage, Which: which, Tick: h.serverTick()}, bytesOf(v))
		})
	}
	e.send = func(h *Host, v unsafe.Pointer) error { return t.Send(h.client.Session().Channels(), (*T)(v)) }
	b.messages = append(b.messages, e)
}

// serverTick returns the newest tick of which a state arrived.
func (h *Host) serverTick() uint32 {
	if h.client == nil {
		return 0 // the host only reads a recording
	}
	return h.client.ServerTick()
}

// Event adds T to the events of the book. from must equal the From with which T is registered in Client.Events; 0 means
// event.FromServer. The host receives events of the server as [NewsEvent] and raises events of clients with [Host.Raise].
func Event[T any](b *Book, from event.Side) {
	e, which := newEntry[T]("Event"), uint16(len(b.events))
	if from == 0 || from&event.FromServer != 0 {
		e.subscribe = func(to *subscriptions) {
			h := to.host
			event.OnClient(to.events, func(_ *ecs.World, at event.Origin, v *T) {
				h.news.add(News{Kind: NewsEvent, Which: which, Tick: at.Tick, NetID: uint32(at.About)}, bytesOf(v))
			})
		}
	}
	if from&event.FromClients != 0 {
		e.send = func(h *Host, v unsafe.Pointer) error {
			event.Raise(h.client.World(), event.ToServer(), *(*T)(v))
			return nil
		}
	}
	b.events = append(b.events, e)
}

// Outcome adds T to the outcomes of the book. The host receives them as [NewsBegan], [NewsCommitted] and [NewsCancelled].
func Outcome[T comparable](b *Book) {
	e, which := newEntry[T]("Outcome"), uint16(len(b.outcomes))
	e.subscribe = func(to *subscriptions) {
		h := to.host
		tell := func(k Kind) func(*ecs.World, outcome.Outcome[T]) {
			return func(_ *ecs.World, o outcome.Outcome[T]) {
				h.news.add(News{Kind: k, Which: which, Tick: o.Tick, NetID: uint32(o.Subject.NetID), Number: uint32(o.ID)}, bytesOf(&o.Value))
			}
		}
		outcome.Handle(to.outcomes, outcome.Handlers[T]{Begin: tell(NewsBegan), Commit: tell(NewsCommitted), Cancel: tell(NewsCancelled)})
	}
	b.outcomes = append(b.outcomes, e)
}

// checkConfig returns an error if the client's configuration contradicts the book. b may be nil.
func (b *Book) checkConfig(c *systems.ClientConfig) error {
	switch {
	case b == nil:
	case len(b.messages) > 0 && c.Session.OnMessage != nil:
		return fmt.Errorf("%w: Client.OnMessage is set although the Book has messages: leave it nil and add all message types to the Book", ErrConfig)
	case len(b.messages) > 0 && c.Session.Messages == nil && c.Events == nil:
		return fmt.Errorf("%w: the Book has messages: set Client.Messages to the registry that contains them", ErrConfig)
	case len(b.events) > 0 && c.Events == nil:
		return fmt.Errorf("%w: the Book has events: set Client.Events to the registry that contains them", ErrConfig)
	}
	return nil
}

// subscribe subscribes a host to the types of the book. It sets the callbacks of the client's configuration c. b may be nil.
func (b *Book) subscribe(h *Host, c *systems.ClientConfig) {
	if b == nil {
		return
	}
	to := subscriptions{host: h, events: c.Events}
	if len(b.messages) > 0 {
		registry := c.Session.Messages
		if c.Events != nil {
			registry = c.Events.Registry().Messages()
		}
		d := channel.NewDispatcher[*Host](registry)
		to.messages = d
		c.Session.OnMessage = func(_ *systems.Client, number int, message []byte) error { return d.Deliver(h, number, message) }
	}
	for _, list := range [][]entry{b.messages, b.events} {
		for _, e := range list {
			if e.subscribe != nil {
				e.subscribe(&to)
			}
		}
	}
	if own := c.Outcomes; len(b.outcomes) > 0 {
		c.Outcomes = func(l *outcome.Log) {
			for _, e := range b.outcomes {
				e.subscribe(&subscriptions{host: h, outcomes: l})
			}
			if own != nil {
				own(l)
			}
		}
	}
}

// Layout describes the memory layout of one type.
type Layout struct {
	// Name is the name of the type without its package.
	Name string
	// Schema lists the fields of the type.
	Schema *schema.Table
	// Told reports whether hosts receive the type. Sent reports whether hosts can send the type.
	Told, Sent bool
}

func layouts(list []entry) []Layout {
	all := make([]Layout, 0, len(list))
	for _, e := range list {
		all = append(all, Layout{e.clean.table.Name, e.clean.table, e.subscribe != nil, e.send != nil})
	}
	return all
}

// Messages lists the message types by number. b may be nil.
func (b *Book) Messages() []Layout { return b.list(func(b *Book) []entry { return b.messages }) }

// Events lists the event types by number. b may be nil.
func (b *Book) Events() []Layout { return b.list(func(b *Book) []entry { return b.events }) }

// Outcomes lists the outcome types by number. b may be nil.
func (b *Book) Outcomes() []Layout { return b.list(func(b *Book) []entry { return b.outcomes }) }

func (b *Book) list(of func(*Book) []entry) []Layout {
	if b == nil {
		return nil
	}
	return layouts(of(b))
}
