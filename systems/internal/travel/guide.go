package travel

import (
	"errors"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// Config is what a guide has to know of its client.
type Config struct {
	// Schema is that of the client's protocol: it follows to rooms that speak it.
	Schema string
	// Reach opens a wire to where a ticket leads, and says how that calls the server; nil: the client never follows.
	Reach func(t Ticket) (netsys.Wire, netip.AddrPort, error)
	// Session is what the client tells a session to a server.
	Session func(token *netcode.ConnectToken, server netip.AddrPort) (netsys.ClientConfig, error)
	// Hand gives the game a ticket that the client does not follow itself; nil: nobody wants it.
	Hand func(t Ticket)
	// Arrive makes the session that has begun that of the client, in place of the one at hand. With an error, the client
	// stays where it is.
	Arrive func(now time.Time, to *netsys.Client, session netsys.Session) error
	// Handler hears what comes on a session that the client has arrived by.
	Handler netsys.Handler
	// Lost is told why the session at hand has ended meanwhile, when no other begins.
	Lost func(reason error)
	// Logger receives what becomes of tickets.
	Logger logging.Logger
}

// Counts are what became of tickets.
type Counts struct {
	Arrived uint64 // the client plays there
	Failed  uint64 // nobody let it in
	Refused uint64 // it did not try: they came too often, or lead to another game than it plays

	Reconnected uint64 // sessions that began after another one had ended: see [Guide.Retry]
}

// Guide follows tickets: the session at hand goes on until another one has begun.
type Guide struct {
	Counts
	journey Journey
	config  Config
	ticket  *Ticket        // to be looked at
	next    *netsys.Client // that asks to be let in; nil: none
	arrived bool           // it was
	failed  error          // it was not, for this reason
	ended   error          // why the session at hand has ended since
	retries bool           // next is another session with the same server, on the same wire
}

// NewGuide makes a guide that has heard of nothing.
func NewGuide(c Config) *Guide { return &Guide{config: c} }

// Hear takes in a part of a ticket. The error wraps [ErrTicket].
func (g *Guide) Hear(part, parts int, b string) error {
	t, err := g.journey.Take(part, parts, b)
	if t != nil && err == nil {
		g.ticket = t
	}
	return err
}

// Ended says that the session at hand has ended. It reports whether the client is on its way elsewhere: then Lost may follow.
func (g *Guide) Ended(reason error) (hope bool) {
	if g.ticket == nil && g.next == nil {
		return false
	}
	g.ended = reason
	return true
}

// Retry begins another session in place of one that has ended for a reason; Lost is told why where it does not begin.
func (g *Guide) Retry(next *netsys.Client, reason error) {
	g.next, g.ended, g.retries = next, reason, true
}

// Step goes on, at the beginning of a step of the client, while nothing of it runs.
func (g *Guide) Step(now time.Time) {
	if t := g.ticket; t != nil {
		g.ticket = nil
		if g.next != nil {
			g.fail(now, errors.New("another way was told"))
		}
		g.take(now, t)
	}
	if g.next != nil {
		g.next.Poll(now, (*knock)(g))
		switch {
		case g.arrived:
			if g.retries {
				g.Reconnected++
			} else {
				g.Arrived++
			}
			g.next, g.arrived, g.ended, g.retries = nil, false, nil, false
		case g.failed != nil && g.retries:
			g.ended = g.failed
			g.next, g.failed, g.retries = nil, nil, false
		case g.failed != nil:
			g.fail(now, g.failed)
		}
	}
	if g.ended != nil && g.next == nil {
		reason := g.ended
		g.ended = nil
		g.config.Lost(reason)
	}
}

// take begins to follow a ticket, or hands it on.
func (g *Guide) take(now time.Time, t *Ticket) {
	follows := g.config.Reach != nil && t.Schema == g.config.Schema
	if !follows && g.config.Hand == nil || !g.journey.Follow(now) {
		g.Refused++
		g.config.Logger.Warn("ticket not followed", "kind", t.Kind, "schema", t.Schema, "refused", g.Refused)
		return
	}
	if !follows {
		g.config.Hand(*t)
		return
	}
	if err := g.begin(t); err != nil {
		g.fail(now, err)
	}
}

// begin asks to be let in.
func (g *Guide) begin(t *Ticket) error {
	wire, server, err := g.config.Reach(*t)
	if err != nil {
		return err
	}
	c, err := g.config.Session(t.Token, server)
	if err == nil {
		g.next, err = netsys.NewClient(wire, server, c)
	}
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	return nil
}

// fail gives up.
func (g *Guide) fail(now time.Time, why error) {
	g.Failed++
	g.config.Logger.Warn("nobody lets this client in where it was sent", "reason", why)
	g.Close(now)
}

// Close gives up what is on its way.
func (g *Guide) Close(now time.Time) {
	if g.next != nil && !g.retries {
		_ = g.next.Close(now) // a wire that nothing goes by any more
	}
	g.ticket, g.next, g.failed, g.arrived, g.retries = nil, nil, nil, false, false
}

// knock is told what becomes of the session that is to begin.
type knock Guide

func (g *knock) Connected(now time.Time, s netsys.Session) {
	if err := g.config.Arrive(now, g.next, s); err != nil {
		g.failed = err
		return
	}
	g.arrived = true
}

func (g *knock) Disconnected(now time.Time, s netsys.Session, reason error) {
	if g.arrived {
		g.config.Handler.Disconnected(now, s, reason)
	} else {
		g.failed = reason
	}
}

func (g *knock) Received(now time.Time, s netsys.Session, p netsys.Packet) {
	if g.arrived {
		g.config.Handler.Received(now, s, p)
	}
}

func (g *knock) Message(now time.Time, s netsys.Session, channel int, message []byte) {
	if g.arrived {
		g.config.Handler.Message(now, s, channel, message)
	}
}

func (g *knock) Acked(s netsys.Session, seq uint16) {
	if g.arrived {
		g.config.Handler.Acked(s, seq)
	}
}
