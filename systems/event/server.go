package event

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/channel"
)

// Channels is where events go out: the channels of a session with one peer, which is what
// *channel.Endpoint is. Send copies the message.
type Channels interface {
	// Send takes a message for a channel by its number.
	Send(number int, message []byte) error
}

// ServerConfig configures a [Server]. The zero value is fine.
type ServerConfig struct {
	// Limit is how many events of ticks that are not final can wait, and again how
	// many that are raised in a step. More are counted in Stats.Overflowed and not
	// sent. Default (0): 1024.
	Limit int

	// Logger receives the first refusal of each client and type. Default (nil): none.
	Logger logging.Logger
}

// Validate reports what is wrong with c; it never changes it.
func (c ServerConfig) Validate() error { return validLimit("ServerConfig.Limit", c.Limit) }

func validLimit(name string, n int) error {
	if n < 0 {
		return fmt.Errorf("event: %s %d is negative (0: the default)", name, n)
	}
	return nil
}

// Hooks are what a server of events asks and tells those who run the sessions.
type Hooks struct {
	// Sees reports whether a client sees the entity of an event to its viewers; its
	// owner does, without being asked for. It is called in Settle. The entity may be
	// gone by then, and those who saw it last should still hear of it. Default (nil):
	// every client sees everything.
	Sees func(w *ecs.World, about Subject, client uint32) bool

	// Broken is called in Settle, once for a client, when its channel did not take a
	// reliable event: because the client has not acknowledged as many as may wait, and
	// as many more as are kept of an outage. It gets no more events until
	// [Server.Join]; end its session, since it would miss one without knowing.
	// Default (nil): nothing more is done.
	Broken func(client uint32, err error)
}

// Sender is who raised an event that a server gets.
type Sender struct {
	// Client is its number.
	Client uint32
	// Input is the sequence of the input with which the client raised it, or of the
	// newest it had when it did so outside Simulate. The client says so: it is a hint,
	// and may be any number.
	Input uint32
}

// Handlers are what a server does about events of one type. They run when an event
// arrives, once for each, outside Simulate, and may raise events. Where ticks are simulated again,
// under ServerRewind, Rollback and Lockstep, they may look at the world and not write it: see [ecs.Handle].
type Handlers[T any] struct {
	// Validate returns an error for an event that the game's rules do not allow: it is
	// counted, and Handle is not called. Default (nil): all are allowed.
	Validate func(w *ecs.World, from Sender, v *T) error
	// Handle does what the event is for. v is valid during the call.
	Handle func(w *ecs.World, from Sender, v *T)
}

// Server is the events of a server's world. It belongs to the goroutine of the world.
type Server struct {
	log
	config  ServerConfig
	hooks   Hooks
	peers   []*peer // in the order of Join
	reader  codec.ByteReader
	message []byte
	refused refusal
	broken  []uint32
	resent  uint64 // the number of messages that are sent again
}

// peer is a client.
type peer struct {
	client   uint32
	session  uint32
	channels Channels // nil: it has no session, and may come back
	buckets  []bucket // by kind
	err      error    // why it is broken

	kept      []kept // reliable messages that channels have not taken
	keptBytes int
}

// NewServer returns the events of a server, without a world yet, for [OnServer]. It panics
// when c is not valid.
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

// Attach gives the server its world, and stores it there for [Raise]. It panics when the
// world has events.
func (s *Server) Attach(w *ecs.World, h Hooks) {
	s.attach(w)
	s.hooks = h
}

// Attached reports whether the server has a world. A second world would take the events of
// the first.
func (s *Server) Attached() bool { return s.world != nil }

// OnServer says what a server does about events of a type. It panics when the type has
// handlers, when h has no Handle, and when clients may not raise it.
func OnServer[T any](s *Server, h Handlers[T]) {
	k := s.registry.kindOf("OnServer", reflect.TypeFor[T]())
	b := s.bound[k.index].(*bound[T])
	switch {
	case k.options.From&FromClients == 0:
		panic(fmt.Sprintf("event: OnServer[%s]: the type is %v: register it with Options.From", k.name, k.options.From))
	case h.Handle == nil:
		panic(fmt.Sprintf("event: OnServer[%s] without Handle", k.name))
	case b.handlers.Handle != nil:
		panic(fmt.Sprintf("event: OnServer[%s] twice; call both from one", k.name))
	}
	b.handlers = h
}

// Join begins to send events to a client; those that were raised before are not for it. For a client that
// was suspended it changes the channels and sends what was kept for it. session is a number by which both ends know the
// session, another one each time: see [Client.Resume].
func (s *Server) Join(client, session uint32, channels Channels) {
	if p := s.peer(client); p != nil {
		p.session, p.channels, p.err = session, channels, nil
		return
	}
	s.peers = append(s.peers, &peer{client: client, session: session, channels: channels, buckets: make([]bucket, len(s.bound))})
}

// Leave forgets a client.
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

// Receive takes in a message that a client sent on a channel, and calls the handler of
// its type if it is an event that is to be handled. It reports false for a message of a
// type that is no event, which is somebody else's.
//
// Errors: [ErrEvent]. What a game's rules or the rate refuse is no error.
func (s *Server) Receive(client uint32, channel int, message []byte) (event bool, err error) {
	n, err := number(&s.reader, message)
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
		if err := b.judge(s.world, from); err != nil {
			s.stats.Refused++
			s.refuse(p, k, h.tick, Invalid, err)
			return
		}
		s.stats.Handled++
		b.serve(s.world, from)
	})
	return true, nil
}

// errRate is what is logged of events beyond the rate.
var errRate = errors.New("event: more than Options.Rate")

// refuse tells of an event that was not taken.
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
	// One that does not go out is no loss: a client cannot count on being told.
	if p.channels.Send(s.registry.refusals.Channel(), s.message) == nil {
		s.stats.Refusals++
	}
}

// Settle says that ticks before the horizon are final, and hands what was raised to the
// channels of those who are to hear of it: at the end of each step, before the packets
// of the step go out. A horizon that lies before an earlier one changes nothing. It
// panics within a tick.
func (s *Server) Settle(horizon uint32) {
	s.settle(horizon)
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
		s.put(o.message)
	}
	s.outbox = s.outbox[:0]
	s.tellBroken()
}

// reaches reports whether a client is to hear of an event.
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
		s.breaks(p, err)
	}
}

// breaks notes that a client missed an event without an outage.
func (s *Server) breaks(p *peer, err error) {
	p.err, p.kept, p.keptBytes = err, nil, 0
	s.broken = append(s.broken, p.client)
}

// tellBroken reports clients that missed an event. The callback may let them leave.
func (s *Server) tellBroken() {
	for _, client := range s.broken {
		if p := s.peer(client); p != nil && s.hooks.Broken != nil {
			s.hooks.Broken(client, p.err)
		}
	}
	s.broken = s.broken[:0]
}

// Stats are the counts since the server was made.
func (s *Server) Stats() Stats { return s.stats }
