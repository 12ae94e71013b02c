package event

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/channel"
)

// Channels sends events to one peer. *channel.Endpoint implements it.
type Channels interface {
	// Send queues a message on a channel by its number. It must copy the message.
	Send(number int, message []byte) error
}

// ServerConfig configures a [Server]. The zero value selects all defaults.
type ServerConfig struct {
	// Limit bounds the events of ticks that are not final, and separately the events raised in one step. Events
	// beyond it are not sent; Stats.Overflowed counts them. Default (0): 1024.
	Limit int

	// Logger receives the first refusal of each client and type. Default (nil): no logging.
	Logger logging.Logger
}

// Validate returns an error if Limit is negative.
func (c ServerConfig) Validate() error { return validLimit("ServerConfig.Limit", c.Limit) }

func validLimit(name string, n int) error {
	if n < 0 {
		return fmt.Errorf("event: %s is %d: set it to 0 for the default, or to a positive number", name, n)
	}
	return nil
}

// Hooks connect a [Server] to the code that manages sessions.
type Hooks struct {
	// Sees reports whether a client sees the entity of an event to viewers. It is called in Settle, but not for the
	// owner, who always receives the event. The entity may no longer exist; clients that saw it last should still
	// receive the event. Default (nil): every client sees everything.
	Sees func(w *ecs.World, about Subject, client uint32) bool

	// Simulated reports that clients simulate all ticks themselves. They then handle an event once its tick is final, no
	// matter which simulation of the tick raised the event. Otherwise an event waits for a state that was captured after
	// this simulation.
	Simulated bool

	// Broken is called in Settle, once per client, if a channel did not accept a reliable event: the client has left
	// too many messages unacknowledged, and the store for outages is full too. The client receives no events until
	// [Server.Join]. End its session, because otherwise it would miss an event without notice. Default (nil): nothing
	// more is done.
	Broken func(client uint32, err error)
}

// Sender describes the client that raised an event.
type Sender struct {
	// Client is its number.
	Client uint32
	// Input is the sequence of the input whose simulation raised the event. For an event raised outside of Simulate
	// it is the client's newest input. The client reports this number, so do not trust it.
	Input uint32
}

// Handlers check and handle events of one type on a server. They run once for each event when it arrives, outside of
// Simulate, and may raise events. Under models that re-simulate (ServerRewind, Rollback, Lockstep) they may read the
// world but not write it, see [ecs.Handle].
type Handlers[T any] struct {
	// Validate returns an error if the rules of the game do not allow the event. The server then counts the event and
	// does not call Handle. Default (nil): all events are allowed.
	Validate func(w *ecs.World, from Sender, v *T) error
	// Handle handles the event. v is valid during the call.
	Handle func(w *ecs.World, from Sender, v *T)
}

// Server sends and receives the events of a server's world. Only the goroutine of the world may use it.
type Server struct {
	log
	config  ServerConfig
	hooks   Hooks
	peers   []*peer // in the order of Join
	reader  codec.ByteReader
	message []byte
	refused refusal
	broken  []uint32
	resent  uint64 // message type number of events that are sent again
}

// peer is a client.
type peer struct {
	client   uint32
	session  uint32
	channels Channels // nil while the client has no session
	buckets  []bucket // by kind
	err      error    // why it is broken, or nil

	kept      []kept // reliable messages that channels have not accepted
	keptBytes int
}

// NewServer returns a server without a world, for [OnServer]. It panics if c is not valid.
func NewServer(r *Registry, c ServerConfig) *Server {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	c.Logger = logging.Or(c.Logger)
	s := &Server{config: c}
	s.init(r, c.Limit, true)
	s.resent = r.resentNumber()
	return s
}

// Attach connects the server to its world and stores it there for [Raise]. It panics if the world already has events.
func (s *Server) Attach(w *ecs.World, h Hooks) {
	s.attach(w)
	s.hooks, s.undated = h, h.Simulated
}

// Attached reports whether the server has a world. Do not attach a second one: it would take over the events of the
// first.
func (s *Server) Attached() bool { return s.world != nil }

// OnServer sets the handlers for events of type T. It panics if the type already has handlers, if h.Handle is nil, or
// if clients may not raise the type.
func OnServer[T any](s *Server, h Handlers[T]) {
	k := s.registry.kindOf("OnServer", reflect.TypeFor[T]())
	b := s.bound[k.index].(*bound[T])
	switch {
	case k.options.From&FromClients == 0:
		panic(fmt.Sprintf("event: OnServer[%s]: the type is %v: change Options.From when you register it", k.name, k.options.From))
	case h.Handle == nil:
		panic(fmt.Sprintf("event: OnServer[%s]: Handlers.Handle is nil: set it", k.name))
	case b.handlers.Handle != nil:
		panic(fmt.Sprintf("event: OnServer[%s] already has a handler: call both functions from one handler", k.name))
	}
	b.handlers = h
}

// Join starts to send events to a client, beginning with those raised after the call. For a suspended client it sets
// the new channels; the next Settle sends the stored events. session is a number by which both ends know the session,
// different each time, see [Client.Resume].
func (s *Server) Join(client, session uint32, channels Channels) {
	if p := s.peer(client); p != nil {
		p.session, p.channels, p.err = session, channels, nil
		return
	}
	s.peers = append(s.peers, &peer{client: client, session: session, channels: channels, buckets: make([]bucket, len(s.bound))})
}

// Leave removes a client.
func (s *Server) Leave(client uint32) {
	s.peers = slices.DeleteFunc(s.peers, func(p *peer) bool { return p.client == client })
}

func (s *Server) peer(client uint32) *peer {
	for _, p := range s.peers {
		if p.client == client {
			return p
		}
	}
	return nil
}

// Receive processes a message that a client sent on a channel, and calls the handlers if it is an event. It reports
// false for a message of any other type, which the caller must handle.
//
// Malformed messages return [ErrEvent]. An event that Validate or the rate limit refuses is not an error.
func (s *Server) Receive(client uint32, channel int, message []byte) (event bool, err error) {
	n, err := messageType(&s.reader, message)
	if err != nil {
		return true, err
	}
	k := s.registry.byNumber[n]
	if k == nil {
		if s.registry.isRefusal(n) {
			return true, fmt.Errorf("%w: a client refuses", ErrEvent)
		}
		return false, nil
	}
	h, err := k.readHead(&s.reader, channel, false)
	if err != nil {
		return true, err
	}
	p := s.peer(client)
	if p == nil {
		return true, nil
	}
	b, account := s.bound[k.index], &p.buckets[k.index]
	if !account.take(s.next, &k.options, s.world.TickRate()) {
		s.stats.Received++
		s.stats.Limited++
		if !account.limited {
			account.limited = true
			s.refuse(p, k, h.tick, Limited, errRate)
		}
		return true, nil
	}
	if err := b.read(k.prefix, h.words); err != nil {
		return true, err
	}
	account.limited = false
	s.stats.Received++
	if !b.handled() {
		s.stats.Unhandled++
		return true, nil
	}
	ecs.Handle(s.world, k.handler, func() {
		from := Sender{Client: client, Input: h.tick}
		if err := b.validate(s.world, from); err != nil {
			s.stats.Refused++
			s.refuse(p, k, h.tick, Invalid, err)
			return
		}
		s.stats.Handled++
		b.serve(s.world, from)
	})
	return true, nil
}

// bucket limits one event type of one client.
type bucket struct {
	rate    allowance.Rate // by ticks
	limited bool           // the last event was dropped
	logged  bool
}

// take counts an event at a tick. It returns false if the rate is exceeded.
func (b *bucket) take(tick uint32, o *Options, ticksPerSecond int) bool {
	each := time.Second / time.Duration(o.Rate)
	now := time.Duration(tick) * time.Second / time.Duration(ticksPerSecond)
	return b.rate.Take(now, each, time.Duration(o.Burst)*each) == 0
}

// errRate is logged for events that exceed the rate.
var errRate = errors.New("event: more than Options.Rate")

// refuse logs the first refused event of a client and type, and sends a refusal if the type has Tell.
func (s *Server) refuse(p *peer, k *kind, input uint32, reason Reason, err error) {
	if account := &p.buckets[k.index]; !account.logged {
		account.logged = true
		s.config.Logger.Warn("event refused; more of this type from this client are only counted",
			"client", p.client, "event", k.name, "error", err)
	}
	if !k.options.Tell || p.err != nil || p.channels == nil {
		return
	}
	s.refused = refusal{Type: uint16(k.number), Input: input, Reason: reason}
	s.message = s.registry.refusals.Append(s.message[:0], &s.refused)
	// If the channel does not accept the refusal, it is dropped: refusals are not guaranteed.
	if p.channels.Send(s.registry.refusals.Channel(), s.message) == nil {
		s.stats.Refusals++
	}
}

// Settle marks ticks before horizon as final and gives the raised events to the channels of their receivers. An
// earlier horizon than before has no effect. Call it at the end of each step, before packets are sent. It panics
// within a tick.
func (s *Server) Settle(horizon uint32) {
	s.finalize(horizon)
	for _, p := range s.peers {
		s.resend(p)
	}
	for i := range s.outbox {
		o := &s.outbox[i]
		for _, p := range s.peers {
			if p.err == nil && s.reaches(&o.to, p.client) {
				s.send(p, o)
			}
		}
		s.putBuffer(o.message)
	}
	s.outbox = s.outbox[:0]
	s.reportBroken()
}

// reaches reports whether a client receives an event to this address.
func (s *Server) reaches(to *address, client uint32) bool {
	switch to.route {
	case routeAll:
		return true
	case routeClient:
		return to.client == client
	}
	if to.about.Owner == client {
		return true
	}
	return to.route == routeViewers && (s.hooks.Sees == nil || s.hooks.Sees(s.world, to.about, client))
}

func (s *Server) send(p *peer, o *outgoing) {
	if p.channels == nil || len(p.kept) > 0 {
		if o.kind.reliable() {
			s.keep(p, o.kind.channel, slices.Clone(o.message))
		} else {
			s.stats.Unsent++
		}
		return
	}
	err := p.channels.Send(o.kind.channel, o.message)
	if err == nil {
		s.stats.Sent++
		return
	}
	if o.kind.reliable() && errors.Is(err, channel.ErrFull) {
		s.keep(p, o.kind.channel, slices.Clone(o.message))
		return
	}
	s.stats.Unsent++
	if o.kind.reliable() {
		s.markBroken(p, err)
	}
}

// markBroken records that a client with a session has missed an event.
func (s *Server) markBroken(p *peer, err error) {
	p.err, p.kept, p.keptBytes = err, nil, 0
	s.broken = append(s.broken, p.client)
}

// reportBroken calls Hooks.Broken for clients that missed an event. The callback may call Leave.
func (s *Server) reportBroken() {
	for _, client := range s.broken {
		if p := s.peer(client); p != nil && s.hooks.Broken != nil {
			s.hooks.Broken(client, p.err)
		}
	}
	s.broken = s.broken[:0]
}

// Stats returns the counters since NewServer.
func (s *Server) Stats() Stats { return s.stats }
