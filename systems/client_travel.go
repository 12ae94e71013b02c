package systems

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/travel"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Ticket admits a client to another room: see ClientConfig.Session.OnTravel. Printing it does not show the keys of its
// token.
//
//	Kind             string                // the kind of room
//	Schema           string                // hash of its protocol in hexadecimal; "": unknown
//	WS, WebTransport string                // URLs of its process; "": none
//	Token            *netcode.ConnectToken // for ClientConfig.Session.Token; it contains the UDP addresses
type Ticket = travel.Ticket

// ErrTicket is wrapped by the error of [HandOver] for an invalid ticket.
var ErrTicket = travel.ErrTicket

// ErrNoClient is wrapped by the error of [HandOver] for a client that is not connected.
var ErrNoClient = errors.New("systems: no such client")

// HandOver sends a ticket to a client, reliably and in order with other notices. The client follows it or passes it
// to the game. The current session continues until the client ends it. Package rooms calls HandOver: see
// rooms.Room.Travel. Errors wrap [ErrTicket], [ErrNoClient], or netsys.ErrFull if too many notices wait for this
// client's acknowledgement: try again after the next tick. Call it on the server's goroutine.
func HandOver(s *Server, client uint32, t Ticket) error {
	if err := t.Validate(); err != nil {
		return err
	}
	p := s.sessions.byID[client]
	if p == nil {
		return fmt.Errorf("%w: %d", ErrNoClient, client)
	}
	if !p.Notices.Add(&wire.Notice{Kind: wire.NoticeTravel, Tick: s.link.tick, Ticket: t.Append(nil)}) {
		return fmt.Errorf("systems: HandOver of client %d: %w", client, netsys.ErrFull)
	}
	return nil
}

// reachUDP opens a new socket, because a server may have several rooms behind one address.
func reachUDP(Ticket) (netsys.Wire, netip.AddrPort, error) {
	w, err := netsys.ListenUDP(":0")
	return w, netip.AddrPort{}, err
}

// newGuide returns the guide that follows tickets.
func newGuide(c *Client) *travel.Guide {
	g := travel.Config{
		Schema: fmt.Sprintf("%x", c.protocol.Hash()), Reach: c.config.Session.Reach, Handler: (*clientHandler)(c), Lost: c.fail, Logger: c.config.Logger,
		Session: func(token *netcode.ConnectToken, server netip.AddrPort) (netsys.ClientConfig, error) {
			of := c.config
			of.Session.Token = token
			s, err := of.SessionConfig(c.protocol)
			s.ConnectTimeout = of.connectTimeout(server)
			return s, err
		},
		Arrive: func(now time.Time, to *netsys.Client, s netsys.Session) error { return arrive(c, now, to, s) },
	}
	if c.config.Session.OnTravel != nil {
		g.Hand = func(t Ticket) { c.config.Session.OnTravel(c, t) }
	}
	return travel.NewGuide(g)
}

// arrive moves a client to another session that has admitted it. It resets everything except the game's
// configuration and the counters.
func arrive(c *Client, now time.Time, to clientEndpoint, session netsys.Session) error {
	m, err := wire.ReadWelcome(to.Welcome())
	if err == nil {
		err = suits(c, m.Model)
	}
	if err != nil {
		return err
	}
	c.config.Logger.Info("goes on in another session", "client", c.link.id, "server", session.RemoteAddr())
	if c.config.OnPresence != nil && c.world != nil {
		c.model.leave()
	}
	if c.config.Events != nil && c.world != nil {
		c.config.Events.Leave()
	}
	counted, counting := c.Stats(), c.mirror.Decoder.Counting()
	if to != c.link.endpoint {
		_ = c.link.endpoint.Close(now) // leave cleanly; the transport is no longer used
	}
	c.link = clientLink{endpoint: to, token: c.link.token, guide: c.link.guide, before: counted, resumes: c.link.lost != nil}
	c.stats, c.steps.now, c.steps.steering, c.followed = ClientStats{}, now, clock.Steering{}, followers{}
	c.predictor, c.reconciler = nil, nil
	resetMirror(c)
	c.mirror.Decoder.CountBytes(counting)
	return c.welcome(session)
}

// Pauses between attempts to reconnect: the first and the longest.
const (
	reconnectPause   = 250 * time.Millisecond
	reconnectLongest = 4 * time.Second
	// reconnectSpread is the difference between the pauses of two clients, for 16 clients, so that they do not all
	// return at once.
	reconnectSpread = 40 * time.Millisecond
)

// startReconnect starts waiting for another session if one may succeed. It returns false if the client has ended.
func (c *Client) startReconnect(reason error) bool {
	renewable := (c.config.Session.Renew != nil || !c.link.token) && errors.Is(reason, netcode.ErrTokenExpired)
	if c.link.err != nil || !c.config.Session.Reconnect || !netsys.MayReconnect(reason) && !renewable {
		return false
	}
	if c.config.Events != nil {
		c.config.Events.Leave()
	}
	c.config.Logger.Info("session lost; reconnecting", "client", c.link.id, "reason", reason)
	c.link.pause = min(max(2*c.link.pause, reconnectPause), reconnectLongest)
	c.link.lost, c.link.again = reason, c.steps.now.Add(c.link.pause+time.Duration(c.link.id%16)*reconnectSpread)
	return true
}

// reconnect starts the next attempt when it is due and there is a token.
func (c *Client) reconnect(now time.Time) {
	c.steps.now = now
	if now.Before(c.link.again) || c.link.trying {
		return
	}
	config := c.config
	if config.Session.Renew != nil {
		token, err := config.Session.Renew()
		if err != nil {
			c.end(fmt.Errorf("%w: %w", c.link.lost, err))
		}
		if token == nil {
			return
		}
		config.Session.Token = token
	}
	session, err := config.SessionConfig(c.protocol)
	session.ConnectTimeout = config.connectTimeout(netip.AddrPort{})
	var next *netsys.Client
	if err == nil {
		next, err = c.link.endpoint.(*netsys.Client).Again(session) // recordings do not reconnect
	}
	if err != nil {
		c.end(err)
		return
	}
	if c.link.guide == nil {
		c.link.guide = newGuide(c)
	}
	c.link.endpoint, c.link.trying = next, true
	c.link.guide.Retry(next, c.link.lost)
}

// Rejoin starts another session on the client's transport after one has ended for good, or after [Client.Away]: for
// example when the player requests it, or when a page returns from the browser's cache. The client continues as
// after a reconnection. A client that waits for its next attempt to reconnect tries at once. Rejoin returns an
// error that wraps [ErrConfig] without ClientConfig.Session.Reconnect, and does nothing while a session continues.
func (c *Client) Rejoin(now time.Time) error {
	if !c.config.Session.Reconnect {
		return fmt.Errorf("%w: Rejoin needs ClientConfig.Session.Reconnect", ErrConfig)
	}
	if c.link.err != nil {
		c.link.lost, c.link.err, c.link.trying = c.link.err, nil, false
	}
	c.link.again, c.link.pause = now, 0
	return nil
}

// resetMirror creates the parts that hold the state of a room.
func resetMirror(c *Client) {
	c.mirror = mirror.New(c.shape.replicated, c.shape.predicted, c.shape.private)
}

// addPreviousRooms adds the counters of the previous rooms.
func addPreviousRooms(c *Client, s ClientStats) ClientStats {
	longest := max(s.LongestReplay, c.link.before.LongestReplay)
	travel.Sum(&s, c.link.before)
	n := c.link.guide.Counts
	s.LongestReplay, s.Travels, s.TravelsFailed, s.TravelsRefused = longest, n.Arrived, n.Failed, n.Refused
	s.Reconnects = n.Reconnected
	return s
}
