package netsys

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

const helloInterval = 100 * time.Millisecond

// Client is the [Endpoint] that connects to a server. From the first Poll on it sends its connect token, and then a hello ten
// times per second, until the server admits or refuses it. A client connects once. For another attempt create another client
// with another token.
type Client struct {
	config  ClientConfig
	schema  *schema
	token   netcode.TokenConfig // development mode: issued at the first Poll
	netcode *netcode.Client     // nil until there is a token
	carrier *carrier
	session *session
	server  netip.AddrPort // argument of NewClient; if valid, the destination of all datagrams

	hello    []byte
	nextSend time.Duration // by the carrier's clock, as deadline
	deadline time.Duration
	begun    bool
	welcome  []byte
	closed   bool
	drops    Drops

	deliver func(Datagram)
	events  clientEvents
}

var _ Endpoint = (*Client)(nil)

// NewClient returns a client on a wire. The wire then belongs to the client, which closes it. The client sends to server, even
// if the token names other addresses, as behind a proxy or a forwarded port. The zero AddrPort selects the addresses of the
// token, in order. The client sends nothing before the first Poll. NewClient returns the error of [ClientConfig.Validate], one
// that wraps [netcode.ErrToken] if the token is invalid, or one that wraps [ErrInsecure] if there is no token and the server is
// neither on a loopback address nor behind a virtual wire.
func NewClient(w Wire, server netip.AddrPort, config ClientConfig) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	c := &Client{
		config:  config,
		schema:  newSchema(sessionLines(config.Channels, config.Messages), config.Schema),
		carrier: newCarrier(w, config.Room.Payload()),
		server:  unmap(server),
	}
	c.carrier.to = c.server
	c.carrier.timeout = orDefault(config.Timeout, defaultTimeout)
	c.carrier.keepAlive = orDefault(config.KeepAlive, defaultKeepAlive)
	c.carrier.maxMalformed = defaultMaxMalformed
	c.session = newSession(c.carrier)
	c.session.channels = newChannels(config.Channels)
	c.session.details.remote = c.server
	c.config.ConnectTimeout = orDefault(config.ConnectTimeout, defaultConnectTimeout)
	if config.Token == nil {
		var err error
		if c.token, err = c.config.developmentToken(w, c.server); err != nil {
			return nil, err
		}
		c.session.details.clientID = c.token.ClientID
	} else {
		if err := c.useToken(config.Token); err != nil {
			return nil, err
		}
		if config.ConnectTimeout == 0 && !c.server.IsValid() {
			c.config.ConnectTimeout *= time.Duration(len(config.Token.Servers))
		}
		c.config.Token = nil // so that printing a client does not print it
	}
	c.hello = appendHello(nil, &hello{
		version: WireVersion,
		schema:  c.schema.hash,
		lines:   len(c.schema.lines),
		hashes:  c.schema.hashes,
		tag:     config.Tag,
		role:    role(config.Spectate),
		login:   config.Login,
	})
	c.session.details.spectator = config.Spectate
	c.events.client, c.deliver = c, c.receive
	return c, nil
}

// useToken creates the netcode client for a token.
func (c *Client) useToken(token *netcode.ConnectToken) (err error) {
	if c.netcode, err = netcode.NewClient(token, c.carrier.send); err != nil {
		return err
	}
	c.session.tunnel = c.netcode.Share(c.config.Room)
	if !c.server.IsValid() {
		c.session.details.remote = c.netcode.Server()
	}
	return nil
}

// Poll implements [Endpoint].
func (c *Client) Poll(now time.Time, h Handler) {
	c.carrier.now, c.carrier.pollHandler, c.carrier.handler = now, h, h
	s := c.session
	if !c.closed {
		if !c.begun {
			c.start(now)
		}
		c.carrier.startPoll(c.carrier.clock.At(now))
		c.carrier.wire.Poll(now, c.deliver)
		if s.state == connecting {
			c.sendHello(now)
		}
		s.update(now)
		s.pump(now)
		if s.state < ended {
			c.netcode.Update(now, &c.events)
		}
	}
	if s.state == ended {
		s.state = reported
		h.Disconnected(now, s, s.details.reason)
	}
	c.carrier.pollHandler, c.carrier.handler = nil, nil
}

// start starts to connect.
func (c *Client) start(now time.Time) {
	at := c.carrier.clock.At(now)
	c.begun, c.nextSend, c.deadline = true, at, at+c.config.ConnectTimeout
	if c.netcode != nil || c.session.state == ended {
		return
	}
	token, err := c.token.Issue(now)
	if err == nil {
		err = c.useToken(token)
	}
	if err != nil {
		c.session.end(err)
	}
}

// sendHello sends a hello if one is due. After the deadline it ends the session.
func (c *Client) sendHello(now time.Time) {
	at := c.carrier.clock.At(now)
	switch {
	case at >= c.deadline:
		reason := c.unanswered(c.netcode.Unanswered(now))
		c.netcode.Disconnect(now)
		c.session.end(reason)
	case c.netcode.State() == netcode.Connected && at >= c.nextSend:
		_ = c.netcode.Send(now, c.hello)
		c.nextSend = at + helloInterval
	}
}

// placeholders are addresses without a route (RFC 6666). A wire with such a local address, such as one over WebSocket, does not
// know its server's address, so tokens need not name the address that it uses.
var placeholders = netip.MustParsePrefix("100::/64")

// unanswered returns the reason why the handshake failed, from netcode's reason and what this end knows.
func (c *Client) unanswered(reason error) error {
	text, timeout := strings.CutPrefix(reason.Error(), netcode.ErrTimeout.Error())
	named, at := c.netcode.Servers(), netip.AddrPortFrom(c.server.Addr().WithZone(""), c.server.Port())
	switch {
	case errors.Is(reason, netcode.ErrDisconnected):
		return fmt.Errorf("%w: the server ended the handshake, which may take %v after the first answer, or it stops", ErrTimeout, handshakeTimeout)
	case !timeout:
		return endReason(reason)
	case !c.netcode.Challenged() && at.IsValid() && !placeholders.Contains(c.LocalAddr().Addr()) && !slices.Contains(named, at):
		return fmt.Errorf("%w: it names %v, and %v did not answer: connect to an address that the token names, or issue a token for this one", ErrElsewhere, named, c.server)
	case c.token.Key != netcode.Key{}:
		text += "; a server with a key accepts no client without a token"
	}
	if at.IsValid() {
		text = strings.ReplaceAll(text, c.netcode.Server().String(), at.String())
	}
	return fmt.Errorf("%w%s", ErrTimeout, text)
}

// Close implements [Endpoint]. It sends [ReasonLeft] to the server.
func (c *Client) Close(now time.Time) error {
	if c.closed {
		return nil
	}
	c.session.Close(now, ReasonLeft)
	c.closed = true
	return c.carrier.wire.Close()
}

// Again returns a client for another session with the same server on the same wire, after the session of c has ended. The wire then
// belongs to the new client. If [NewClient] returns an error, Again returns it and the wire stays with c.
func (c *Client) Again(config ClientConfig) (*Client, error) {
	next, err := NewClient(c.carrier.wire, c.server, config)
	if err == nil {
		c.closed = true
	}
	return next, err
}

// Away ends the session with [ReasonAway]: the player may come back. The wire stays open, so that the sent packets are not lost.
// Close closes it.
func (c *Client) Away(now time.Time) { c.session.Close(now, ReasonAway) }

// Session returns the session with the server. It is the same before, during and after the connection.
func (c *Client) Session() Session { return c.session }

// Connected reports whether the client can send payloads.
func (c *Client) Connected() bool { return c.session.state == connected }

// Welcome returns the result of the server's [ServerConfig.Welcome]. It is empty before the client is connected.
func (c *Client) Welcome() []byte { return c.welcome }

// Drops counts the dropped authentic packets by reason.
func (c *Client) Drops() Drops { return c.drops }

// DatagramDrops counts the datagrams that netcode dropped by reason.
func (c *Client) DatagramDrops() netcode.Drops {
	if c.netcode == nil {
		return netcode.Drops{}
	}
	return c.netcode.Drops()
}

// LocalAddr returns the address of the wire.
func (c *Client) LocalAddr() netip.AddrPort { return c.carrier.wire.LocalAddr() }

// receive receives one datagram from the wire.
func (c *Client) receive(d Datagram) {
	if c.netcode == nil {
		return
	}
	c.carrier.datagram, c.carrier.size = d, len(d.Data)
	from := d.From
	if from == c.server {
		from = c.netcode.Server()
	}
	c.netcode.Receive(c.carrier.now, from, d.Data, &c.events)
	if !c.server.IsValid() {
		c.session.details.remote = c.netcode.Server()
	}
}

// packet receives one authentic packet.
func (c *Client) packet(now time.Time, b []byte) {
	drop := DropUnexpected
	switch {
	case b[0] == kindWelcome:
		drop = c.receiveWelcome(now, b)
	case b[0] == kindRefused:
		drop = c.receiveRefused(now, b)
	case c.session.state == connected && b[0] >= kindDatagram:
		more := false
		if more, drop = c.session.receive(now, b); more {
			drop = c.session.receiveRest(now, b)
		}
	}
	c.drops.count(drop)
	if drop.hostile() {
		c.session.countMalformed(now)
	}
}

// receiveWelcome ends a successful handshake.
func (c *Client) receiveWelcome(now time.Time, b []byte) DropReason {
	w, drop := parseWelcome(b)
	switch {
	case drop != DropNone:
		return drop
	case c.session.state != connecting:
		return DropDuplicate
	}
	c.welcome = append([]byte(nil), w.payload...)
	c.session.start(now, w.id)
	c.session.state = connected
	// The server needs a packet of the client to connect it. It must not wait until the game sends.
	_, _ = c.session.send(now, kindChannels, false, c.carrier.buf[:headerSize])
	c.carrier.handler.Connected(now, c.session)
	return DropNone
}

// receiveRefused ends a refused handshake.
func (c *Client) receiveRefused(now time.Time, b []byte) DropReason {
	r, drop := parseRefused(b)
	switch {
	case drop != DropNone:
		return drop
	case c.session.state != connecting:
		return DropUnexpected
	}
	cause := [...]error{refusedVersion: ErrVersion, refusedClosing: ErrClosed, refusedBusy: ErrBusy, refusedFull: ErrServerFull}[r.reason]
	switch r.reason {
	case refusedSchema:
		e := &SchemaError{Server: string(r.text)}
		if r.line != unknownLine {
			e.Line, e.Client = max(int(r.line)+1-c.schema.own, 0), c.schema.line(int(r.line))
		}
		cause = e
	case refusedLogin:
		cause = fmt.Errorf("%w: %s", ErrLogin, strings.ToValidUTF8(string(r.text), "?"))
	}
	c.netcode.Disconnect(now)
	c.session.end(&refusal{cause})
	return DropNone
}

// clientEvents implements [netcode.ClientHandler].
type clientEvents struct{ client *Client }

// Connected implements [netcode.ClientHandler]. The client sends its hello in the same Poll.
func (h *clientEvents) Connected(now time.Time, _ *netcode.Client) {
	h.client.nextSend = h.client.carrier.clock.At(now)
}

// Payload implements [netcode.ClientHandler].
func (h *clientEvents) Payload(now time.Time, _ *netcode.Client, payload []byte) {
	h.client.packet(now, payload)
}

// Disconnected implements [netcode.ClientHandler].
func (h *clientEvents) Disconnected(_ time.Time, _ *netcode.Client, reason error) {
	if h.client.session.state != connecting {
		h.client.session.end(endReason(reason))
	} else {
		h.client.session.end(h.client.unanswered(reason))
	}
}
