package travel

import (
	"errors"
	"net/netip"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/clock"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// followInterval is the average minimum time between two tickets that a client follows, and followBurst the
	// maximum at once. Rooms that send a client back and forth therefore cannot keep it busy with handshakes.
	followInterval = time.Second
	followBurst    = 8
)

// Config connects a Guide to its client.
type Config struct {
	// Schema is the schema of the client's protocol. The client follows only tickets to rooms with this schema.
	Schema string
	// Reach opens a transport to the room of a ticket and returns the server's address on that transport; nil: the
	// client never follows.
	Reach func(t Ticket) (netsys.Wire, netip.AddrPort, error)
	// Session returns the configuration of the session with a server.
	Session func(token *netcode.ConnectToken, server netip.AddrPort) (netsys.ClientConfig, error)
	// Hand passes a ticket that the client does not follow itself to the game; nil: such tickets are refused.
	Hand func(t Ticket)
	// Arrive replaces the client's session by a new one that has started. After an error the client keeps its
	// session.
	Arrive func(now time.Time, to *netsys.Client, session netsys.Session) error
	// Handler receives the events of a session by which the client has arrived.
	Handler netsys.Handler
	// Lost is called when the previous session has ended and no other one starts.
	Lost func(reason error)
	// Logger receives failed and refused tickets.
	Logger logging.Logger
}

// Counts counts tickets.
type Counts struct {
	Arrived uint64 // the client plays in the new room
	Failed  uint64 // the new room did not admit the client
	Refused uint64 // tickets that were not tried: they arrived too often, or lead to another game

	Reconnected uint64 // sessions that started after another one had ended: see [Guide.Retry]
}

// Sum adds the uint64 fields of more to those of to.
func Sum[T any](to *T, more T) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(&more).Elem()
	for i := range a.NumField() {
		if f := a.Field(i); f.Kind() == reflect.Uint64 {
			f.SetUint(f.Uint() + b.Field(i).Uint())
		}
	}
}

// Guide follows tickets. The current session continues until another one has started.
type Guide struct {
	Counts
	config  Config
	clock   clock.Clock
	follows allowance.Rate // of tickets
	ticket  *Ticket        // received, not processed yet
	next    *netsys.Client // session that is connecting; nil: none
	arrived bool           // it has connected
	failed  error          // why it failed to connect
	ended   error          // why the previous session has ended meanwhile
	retries bool           // next is a new session with the same server on the same transport
}

// NewGuide returns a guide without a ticket.
func NewGuide(c Config) *Guide { return &Guide{config: c} }

// Receive processes an encoded ticket. The error wraps [ErrTicket].
func (g *Guide) Receive(b []byte) error {
	t, err := ParseTicket(b)
	if err != nil {
		return err
	}
	if g.ticket != nil {
		g.countFailure(errNewer)
	}
	g.ticket = t
	return nil
}

// Ended records that the current session has ended. It returns true if the client is connecting to another room; if
// that fails, Lost follows.
func (g *Guide) Ended(reason error) (hope bool) {
	if g.ticket == nil && g.next == nil {
		return false
	}
	g.ended = reason
	return true
}

// Retry connects a new session after one has ended. If it fails, Lost is called with the reason.
func (g *Guide) Retry(next *netsys.Client, reason error) {
	g.next, g.ended, g.retries = next, reason, true
}

// Step continues. Call it at the start of each step of the client.
func (g *Guide) Step(now time.Time) {
	if t := g.ticket; t != nil {
		g.ticket = nil
		if g.next != nil {
			g.fail(now, errNewer)
		}
		g.followTicket(now, t)
	}
	if g.next != nil {
		g.next.Poll(now, (*connectHandler)(g))
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

// followTicket starts following a ticket, or passes it to the game.
func (g *Guide) followTicket(now time.Time, t *Ticket) {
	follows := g.config.Reach != nil && t.Schema == g.config.Schema
	if !follows && g.config.Hand == nil || g.follows.Take(g.clock.At(now), followInterval, followBurst*followInterval) > 0 {
		g.Refused++
		g.config.Logger.Warn("ticket not followed", "kind", t.Kind, "schema", t.Schema, "refused", g.Refused)
		return
	}
	if !follows {
		g.config.Hand(*t)
		return
	}
	if err := g.connect(t); err != nil {
		g.fail(now, err)
	}
}

// connect starts a session with the room of a ticket.
func (g *Guide) connect(t *Ticket) error {
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

var errNewer = errors.New("a newer ticket arrived")

func (g *Guide) countFailure(why error) {
	g.Failed++
	g.config.Logger.Warn("the room of a ticket did not admit this client", "reason", why)
}

// fail counts a failure and gives up.
func (g *Guide) fail(now time.Time, why error) {
	g.countFailure(why)
	g.Close(now)
}

// Close gives up the connecting session.
func (g *Guide) Close(now time.Time) {
	if g.next != nil && !g.retries {
		_ = g.next.Close(now) // the transport is no longer used
	}
	g.ticket, g.next, g.failed, g.arrived, g.retries = nil, nil, nil, false, false
}

// connectHandler handles the events of the connecting session.
type connectHandler Guide

func (g *connectHandler) Connected(now time.Time, s netsys.Session) {
	if err := g.config.Arrive(now, g.next, s); err != nil {
		g.failed = err
		return
	}
	g.arrived = true
}

func (g *connectHandler) Disconnected(now time.Time, s netsys.Session, reason error) {
	if g.arrived {
		g.config.Handler.Disconnected(now, s, reason)
	} else {
		g.failed = reason
	}
}

func (g *connectHandler) Received(now time.Time, s netsys.Session, p netsys.Packet) {
	if g.arrived {
		g.config.Handler.Received(now, s, p)
	}
}

func (g *connectHandler) Message(now time.Time, s netsys.Session, channel int, message []byte) {
	if g.arrived {
		g.config.Handler.Message(now, s, channel, message)
	}
}

func (g *connectHandler) Acked(s netsys.Session, seq uint16) {
	if g.arrived {
		g.config.Handler.Acked(s, seq)
	}
}
