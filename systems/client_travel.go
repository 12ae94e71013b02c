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
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/travel"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Ticket is the way to another room, as a server tells it to one of its clients: see ClientConfig.OnTravel. Printed, it
// does not tell the keys of its token.
type Ticket = travel.Ticket

// ErrTicket is wrapped by the error of [HandOver] about a ticket that cannot be sent.
var ErrTicket = travel.ErrTicket

// ErrNoClient is wrapped by the error of [HandOver] for a client that is not connected.
var ErrNoClient = errors.New("systems: no such client")

// HandOver tells a client where to go on, reliably and in order with what else it is told. The client follows by itself, or
// its game is given the ticket; the session at hand goes on until the client ends it. Package rooms calls it: see
// rooms.Room.Travel. The errors wrap [ErrTicket], [ErrNoClient], or netsys.ErrFull where too much waits for this
// client's acknowledgement: try again after the next tick. Call it on the server's goroutine.
func HandOver(s *Server, client uint32, t Ticket) error {
	if err := t.Validate(); err != nil {
		return err
	}
	p := s.sessions.byID[client]
	if p == nil {
		return fmt.Errorf("%w: %d", ErrNoClient, client)
	}
	if !travel.Tell(&p.Notices, s.link.tick, &t) {
		return fmt.Errorf("systems: HandOver of client %d: %w", client, netsys.ErrFull)
	}
	return nil
}

// reachUDP opens a socket that is new, as a server may have rooms behind one address.
func reachUDP(Ticket) (netsys.Wire, netip.AddrPort, error) {
	w, err := netsys.ListenUDP(":0")
	return w, netip.AddrPort{}, err
}

// guide makes the one who follows tickets.
func guide(c *Client) *travel.Guide {
	g := travel.Config{
		Schema: fmt.Sprintf("%x", c.protocol.Hash()), Reach: c.config.Reach, Handler: (*clientHandler)(c), Lost: c.fail, Logger: c.config.Logger,
		Session: func(token *netcode.ConnectToken, server netip.AddrPort) (netsys.ClientConfig, error) {
			of := c.config
			of.Token = token
			s, err := of.Session(c.protocol)
			s.ConnectTimeout = of.connectTimeout(server)
			return s, err
		},
		Arrive: func(now time.Time, to *netsys.Client, s netsys.Session) error { return arrive(c, now, to, s) },
	}
	if c.config.OnTravel != nil {
		g.Hand = func(t Ticket) { c.config.OnTravel(c, t) }
	}
	return travel.NewGuide(g)
}

// arrive makes a client that was let in elsewhere leave the room that it is in: everything begins anew but what the game
// has given it, and what it has counted.
func arrive(c *Client, now time.Time, to *netsys.Client, session netsys.Session) error {
	m, err := wire.ReadWelcome(to.Welcome())
	if err == nil {
		err = suits(c.stages.schedule, c.config.Systems, m.Policies)
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
		_ = c.link.endpoint.Close(now) // with a goodbye; the wire is of no use any more
	}
	c.link = clientLink{endpoint: to, guide: c.link.guide, before: counted, resumes: c.link.lost != nil}
	c.stats, c.steps.now, c.steps.steering, c.followed = ClientStats{}, now, clock.Steering{}, followers{}
	c.predictor, c.reconciler = nil, nil
	blank(c)
	c.mirror.Decoder.CountBytes(counting)
	return c.welcome(session)
}

// Times between the attempts of a client to begin another session: the first pause, and the longest one.
const (
	reconnectPause   = 250 * time.Millisecond
	reconnectLongest = 4 * time.Second
	// reconnectSpread is how far the pauses of 16 clients differ, so that not all come back to a server at once.
	reconnectSpread = 40 * time.Millisecond
)

// lose begins to wait for another session, where one may succeed; it reports false where the client has ended.
func (c *Client) lose(reason error) bool {
	if c.link.err != nil || !c.config.Reconnect || !netsys.MayReconnect(reason) {
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

// reconnect begins the next attempt when it is due, and has a token.
func (c *Client) reconnect(now time.Time) {
	c.steps.now = now
	if now.Before(c.link.again) || c.link.trying {
		return
	}
	config := c.config
	if config.Renew != nil {
		token, err := config.Renew()
		if err != nil {
			c.end(fmt.Errorf("%w: %w", c.link.lost, err))
		}
		if token == nil {
			return
		}
		config.Token = token
	}
	session, err := config.Session(c.protocol)
	session.ConnectTimeout = config.connectTimeout(netip.AddrPort{})
	var next *netsys.Client
	if err == nil {
		next, err = c.link.endpoint.Again(session)
	}
	if err != nil {
		c.end(err)
		return
	}
	if c.link.guide == nil {
		c.link.guide = guide(c)
	}
	c.link.endpoint, c.link.trying = next, true
	c.link.guide.Retry(next, c.link.lost)
}

// Rejoin begins another session on the wire of the client after one has ended for good, or after [Client.Away]: as when the
// player asks for it, or a page comes back from the browser's cache. The client goes on with it as after a
// reconnection. A client that waits before it tries again to reconnect tries now. It returns an error that wraps [ErrConfig]
// without ClientConfig.Reconnect, and does nothing while a session goes on.
func (c *Client) Rejoin(now time.Time) error {
	if !c.config.Reconnect {
		return fmt.Errorf("%w: Rejoin needs ClientConfig.Reconnect", ErrConfig)
	}
	if c.link.err != nil {
		c.link.lost, c.link.err, c.link.trying = c.link.err, nil, false
	}
	c.link.again, c.link.pause = now, 0
	return nil
}

// blank makes what hears of a room, before anything is heard.
func blank(c *Client) {
	c.mirror = mirror.New(c.shape.replicated, c.shape.predicted, c.shape.private)
	c.link.notices = notice.NewReader(ownership.Components(c.protocol))
}

// travelled adds what was counted in the rooms before.
func travelled(c *Client, s ClientStats) ClientStats {
	longest := max(s.LongestReplay, c.link.before.LongestReplay)
	travel.Sum(&s, c.link.before)
	n := c.link.guide.Counts
	s.LongestReplay, s.Travels, s.TravelsFailed, s.TravelsRefused = longest, n.Arrived, n.Failed, n.Refused
	s.Reconnects = n.Reconnected
	return s
}
