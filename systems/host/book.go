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

// Book has the types of what a host is told and what it sends besides inputs and commands, each numbered in the order of
// the calls. The zero value has none. It does not change once a [Host] uses it, and can serve any number of them.
type Book struct {
	messages, events, outcomes []entry
}

// entry is a type of the book.
type entry struct {
	clean cleaner
	hear  func(to *hearing)                     // nil: the host is not told
	send  func(h *Host, v unsafe.Pointer) error // nil: the host sends none
}

// hearing is where what is told is registered, of one host.
type hearing struct {
	host     *Host
	messages *channel.Dispatcher[*Host]
	events   *event.Client
	outcomes *outcome.Log
}

// entryOf describes a type. It panics for what has no net tags, as the registries do.
func entryOf[T any](call string) entry {
	t, err := schema.Compile(reflect.TypeFor[T](), nil)
	if err != nil {
		panic(fmt.Errorf("host: %s[%v]: %w", call, reflect.TypeFor[T](), err))
	}
	return entry{clean: cleanerOf(t)}
}

// Message makes T a type of message of hosts, told by [NewsMessage] and sent by [Host.Send]. The types are those of
// Client.Messages, or of the registry of Client.Events.
func Message[T any](b *Book, t *channel.Type[T]) {
	e, which := entryOf[T]("Message"), uint16(len(b.messages))
	e.hear = func(to *hearing) {
		channel.Handle(to.messages, t, func(h *Host, v *T) {
			h.news.add(News{Kind: NewsMessage, Which: which, Tick: h.client.ServerTick()}, bytesOf(v))
		})
	}
	e.send = func(h *Host, v unsafe.Pointer) error { return t.Send(h.client.Session().Channels(), (*T)(v)) }
	b.messages = append(b.messages, e)
}

// Event makes T a type of event of hosts, told by [NewsEvent] where the server may raise it and given by [Host.Raise] where
// clients may. It needs Client.Events, in which T is registered with that From; 0 means event.FromServer.
func Event[T any](b *Book, from event.Side) {
	e, which := entryOf[T]("Event"), uint16(len(b.events))
	if from == 0 || from&event.FromServer != 0 {
		e.hear = func(to *hearing) {
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

// Outcome makes T a type of outcome of hosts, told by [NewsBegan], [NewsCommitted] and [NewsCancelled].
func Outcome[T comparable](b *Book) {
	e, which := entryOf[T]("Outcome"), uint16(len(b.outcomes))
	e.hear = func(to *hearing) {
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

// fits reports what of a client's configuration goes against the book, which may be nil.
func (b *Book) fits(c *systems.ClientConfig) error {
	switch {
	case b == nil:
	case len(b.messages) > 0 && c.OnMessage != nil:
		return fmt.Errorf("%w: Client.OnMessage beside a Book with messages: leave it nil, and put all types of messages into the Book", ErrConfig)
	case len(b.messages) > 0 && c.Messages == nil && c.Events == nil:
		return fmt.Errorf("%w: the Book has messages: give Client.Messages, in which they are registered", ErrConfig)
	case len(b.events) > 0 && c.Events == nil:
		return fmt.Errorf("%w: the Book has events: give Client.Events, in whose registry they are", ErrConfig)
	}
	return nil
}

// play makes a client tell a host what the book has; b may be nil.
func (b *Book) play(h *Host, c *systems.ClientConfig) {
	if b == nil {
		return
	}
	to := hearing{host: h, events: c.Events}
	if len(b.messages) > 0 {
		registry := c.Messages
		if c.Events != nil {
			registry = c.Events.Registry().Messages()
		}
		d := channel.NewDispatcher[*Host](registry)
		to.messages = d
		c.OnMessage = func(_ *systems.Client, number int, message []byte) error { return d.Deliver(h, number, message) }
	}
	for _, list := range [][]entry{b.messages, b.events} {
		for _, e := range list {
			if e.hear != nil {
				e.hear(&to)
			}
		}
	}
	if own := c.Outcomes; len(b.outcomes) > 0 {
		c.Outcomes = func(l *outcome.Log) {
			for _, e := range b.outcomes {
				e.hear(&hearing{host: h, outcomes: l})
			}
			if own != nil {
				own(l)
			}
		}
	}
}

// Layout is how the values of a type lie in memory.
type Layout struct {
	// Name is the type's, without its package.
	Name string
	// Schema has its fields.
	Schema *schema.Table
	// Told and Sent report whether hosts are told of it, and may send it.
	Told, Sent bool
}

func layouts(list []entry) []Layout {
	all := make([]Layout, 0, len(list))
	for _, e := range list {
		all = append(all, Layout{e.clean.table.Name, e.clean.table, e.hear != nil, e.send != nil})
	}
	return all
}

// Messages lists the types of messages by their numbers; b may be nil.
func (b *Book) Messages() []Layout { return b.list(func(b *Book) []entry { return b.messages }) }

// Events lists the types of events by their numbers; b may be nil.
func (b *Book) Events() []Layout { return b.list(func(b *Book) []entry { return b.events }) }

// Outcomes lists the types of outcomes by their numbers; b may be nil.
func (b *Book) Outcomes() []Layout { return b.list(func(b *Book) []entry { return b.outcomes }) }

func (b *Book) list(of func(*Book) []entry) []Layout {
	if b == nil {
		return nil
	}
	return layouts(of(b))
}
