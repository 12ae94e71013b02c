package netsys

import (
	"net/netip"
	"time"
)

// Client is the [Endpoint] that connects to a server: from the first Poll on it says Hello ten times a second
// until it is welcomed or refused. A client connects once; for another attempt make another one.
type Client struct {
	wire     Wire
	config   ClientConfig
	schema   *schema
	session  *session
	hello    []byte
	nextSend time.Time
	deadline time.Time
	begun    bool
	welcome  []byte
	closed   bool
	drops    Drops

	now     time.Time
	handler Handler
	deliver func(Datagram)
}

var _ Endpoint = (*Client)(nil)

// NewClient returns a client on a wire, which from then on belongs to the client and is closed with it. Nothing
// is sent before the first Poll. The error is that of [ClientConfig.Validate].
func NewClient(w Wire, server netip.AddrPort, config ClientConfig) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	c := &Client{wire: w, config: config, schema: newSchema(config.Schema)}
	c.config.ConnectTimeout = orDefault(config.ConnectTimeout, defaultConnectTimeout)
	c.session = &session{
		wire:      w,
		remote:    unmap(server),
		nonce:     randomUint64(config.Random),
		timeout:   orDefault(config.Timeout, defaultTimeout),
		keepAlive: orDefault(config.KeepAlive, defaultKeepAlive),
	}
	c.hello = appendHello(nil, &hello{
		version: wireVersion,
		nonce:   c.session.nonce,
		schema:  c.schema.hash,
		lines:   len(config.Schema),
		hashes:  c.schema.hashes,
		tag:     config.Tag,
	})
	c.deliver = c.receive
	return c, nil
}

// Poll implements [Endpoint].
func (c *Client) Poll(now time.Time, h Handler) {
	c.now, c.handler = now, h
	if !c.closed {
		if !c.begun {
			c.begun, c.nextSend, c.deadline = true, now, now.Add(c.config.ConnectTimeout)
		}
		c.wire.Poll(now, c.deliver)
		if c.session.state == connecting {
			c.knock()
		}
		c.session.update(now)
	}
	if c.session.state == ended {
		c.session.state = reported
		h.Disconnected(now, c.session, c.session.reason)
	}
	c.handler = nil
}

// knock says Hello when it is time to, and gives up when it is too late.
func (c *Client) knock() {
	if !c.now.Before(c.deadline) {
		c.session.end(ErrTimeout)
		return
	}
	if c.now.Before(c.nextSend) {
		return
	}
	_ = c.wire.Send(c.now, c.session.remote, c.hello)
	c.nextSend = c.now.Add(helloInterval)
}

// Close implements [Endpoint]. The server is told that the client left.
func (c *Client) Close(now time.Time) error {
	if c.closed {
		return nil
	}
	c.session.Close(now, ReasonLeft)
	c.closed = true
	return c.wire.Close()
}

// Session is the session with the server: the same one before, during and after the connection.
func (c *Client) Session() Session { return c.session }

// Connected reports whether payloads can be sent.
func (c *Client) Connected() bool { return c.session.state == connected }

// Welcome is what the server's [ServerConfig.Welcome] returned for this client; empty until Connected.
func (c *Client) Welcome() []byte { return c.welcome }

// Drops counts the datagrams thrown away so far, by reason.
func (c *Client) Drops() Drops { return c.drops }

// LocalAddr is the address of the wire.
func (c *Client) LocalAddr() netip.AddrPort { return c.wire.LocalAddr() }

// receive takes one datagram from the wire.
func (c *Client) receive(d Datagram) {
	drop := DropNone
	switch {
	case len(d.Data) < prefixSize:
		drop = DropTooShort
	case len(d.Data) > maxPacket:
		drop = DropTooLong
	case d.Data[0] == kindHello:
		drop = DropUnexpected
	case d.Data[0] > kindDisconnect || d.Data[0] == 0:
		drop = DropUnknownType
	case d.From != c.session.remote:
		drop = DropUnknownSender
	case d.Data[0] == kindWelcome:
		drop = c.accept(d)
	case d.Data[0] == kindRefused:
		drop = c.refused(d)
	case c.session.state != connected:
		drop = DropUnexpected
	default:
		drop = c.session.receive(c.now, d, c.handler)
	}
	c.drops.count(drop)
}

// accept ends the handshake well.
func (c *Client) accept(d Datagram) DropReason {
	w, drop := parseWelcome(d.Data)
	switch {
	case drop != DropNone:
		return drop
	case w.nonce != c.session.nonce:
		return DropNonce
	case c.session.state != connecting:
		return DropDuplicate
	}
	c.welcome = append([]byte(nil), w.payload...)
	c.session.open(c.now, w.id, w.token)
	// The server takes the client in when it hears from it, so that must not wait for the game to send.
	_, _ = c.session.send(c.now, kindKeepAlive, nil)
	c.handler.Connected(c.now, c.session)
	return DropNone
}

// refused ends the handshake badly. A server that became full after its Welcome says so too; once it has sent
// a session packet it does not.
func (c *Client) refused(d Datagram) DropReason {
	r, drop := parseRefused(d.Data)
	switch {
	case drop != DropNone:
		return drop
	case r.nonce != c.session.nonce:
		return DropNonce
	case c.session.state == connecting, c.session.state == connected && !c.session.in.heard:
	default:
		return DropUnexpected
	}
	var cause error
	switch r.reason {
	case refusedVersion:
		cause = ErrVersion
	case refusedSchema:
		e := &SchemaError{Server: string(r.text)}
		if r.line != unknownLine {
			e.Line, e.Client = int(r.line)+1, c.schema.line(int(r.line))
		}
		cause = e
	case refusedFull:
		cause = ErrServerFull
	case refusedClosing:
		cause = ErrClosed
	}
	c.session.end(&refusal{cause})
	return DropNone
}
