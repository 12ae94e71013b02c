package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// ClientHandler receives the events of a [Client], within the call of Receive or Update that causes them. It may send and
// disconnect.
type ClientHandler interface {
	// Connected is called when a server has given the client a slot.
	Connected(now time.Time, c *Client)
	// Payload is called for each payload of 1 to [MaxPayload] bytes, valid during the call.
	Payload(now time.Time, c *Client, payload []byte)
	// Disconnected is called when the session has ended, or when no server of the token accepted the client. reason is or
	// wraps [ErrTimeout], [ErrDenied], [ErrTokenExpired] or [ErrDisconnected].
	Disconnected(now time.Time, c *Client, reason error)
}

// ClientState is the progress of a client.
type ClientState uint8

// The states, in the order in which a client enters them. When a server denies a client or does not answer, the client goes
// from [Responding] back to [Requesting] with the next server of the token.
const (
	// Requesting means that the client sends ten requests per second.
	Requesting ClientState = iota
	// Responding means that the client received a challenge and sends ten responses per second.
	Responding
	// Connected means that the client has a slot.
	Connected
	// Ended is final: a client connects only once. Use a new client with a new token for another session.
	Ended
)

var stateNames = [...]string{"requesting", "responding", "connected", "ended"}

// String names the state.
func (s ClientState) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("ClientState(%d)", uint8(s))
}

// receives holds the packet types that a client accepts in each state.
var receives = [...]kinds{
	Requesting: 1<<kindDenied | 1<<kindChallenge,
	Responding: 1<<kindDenied | 1<<kindChallenge | 1<<kindKeepAlive,
	Connected:  1<<kindChallenge | 1<<kindKeepAlive | 1<<kindPayload | 1<<kindDisconnect,
	Ended:      0,
}

// Client is the client's side of a session. Only one goroutine may use it.
type Client struct {
	token   ConnectToken
	out     func(to netip.AddrPort, datagram []byte) error
	timeout time.Duration // 0: none

	state    ClientState
	attempt  int // index of the server
	server   netip.AddrPort
	sender   direction
	receiver direction
	sequence uint64 // continues from server to server, because all servers of a token share its keys
	window   window

	begun              bool
	clock              watch
	start, heard, sent time.Duration

	challenge [challengeBody]byte
	slot      uint32
	slots     uint32
	drops     Drops

	scratch scratch
}

// NewClient returns a client that connects with a token. Two clients must not use the same token at the same time: they
// would reuse nonces. The client sends by calling out, which must neither keep the datagram nor call the client. If out
// returns an error, the datagram counts as lost. The client sends nothing before the first Update. The error wraps
// [ErrToken].
func NewClient(token *ConnectToken, out func(to netip.AddrPort, datagram []byte) error) (*Client, error) {
	if err := token.check(); err != nil {
		return nil, err
	}
	c := &Client{
		token:    *token,
		out:      out,
		timeout:  max(0, time.Duration(token.Timeout)*time.Second),
		sender:   newDirection(&token.ClientToServer),
		receiver: newDirection(&token.ServerToClient),
		scratch:  scratch{plain: make([]byte, 0, MaxDatagram), packet: make([]byte, 0, MaxDatagram), parameters: newParameters(token.ProtocolID)},
	}
	c.token.ClientToServer, c.token.ServerToClient = Key{}, Key{} // so that printing a client does not reveal keys
	c.token.Servers = nil
	for _, a := range token.Servers {
		c.token.Servers = append(c.token.Servers, public(a))
	}
	c.server = c.token.Servers[0]
	return c, nil
}

// Room is shared memory for packets; see [Client.Share]. The zero value is ready.
type Room struct {
	plain, packet [MaxDatagram]byte
	payload       [MaxPayload]byte
}

// Payload returns memory for one outgoing payload. For a nil Room it allocates.
func (r *Room) Payload() *[MaxPayload]byte {
	if r == nil {
		return new([MaxPayload]byte)
	}
	return &r.payload
}

// Share makes the client encrypt and decrypt in the memory of r, and returns the client. Clients on the same goroutine can
// share a Room, because each needs it only during a call. nil has no effect.
func (c *Client) Share(r *Room) *Client {
	if r != nil {
		c.scratch.plain, c.scratch.packet = r.plain[:0], r.packet[:0]
	}
	return c
}

// String returns the state and the server.
func (c *Client) String() string { return fmt.Sprintf("client %v with %v", c.state, c.server) }

// Format implements [fmt.Formatter]. It prints String for every verb and never prints keys.
func (c Client) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), c.String()) }

// State returns the progress of the client.
func (c *Client) State() ClientState { return c.state }

// Server returns the address of the server to which the client is connected or connecting.
func (c *Client) Server() netip.AddrPort { return c.server }

// Slot returns the client's slot number and the number of slots on the server; 0 and 0 before the client is connected.
func (c *Client) Slot() (slot, slots uint32) { return c.slot, c.slots }

// Drops returns the number of dropped datagrams by reason.
func (c *Client) Drops() Drops { return c.drops }

// Send sends a payload of 1 to [MaxPayload] bytes. The error is [ErrPayloadSize], [ErrNotConnected], [ErrExhausted], or the
// error of the client's send function. After an error the payload is lost, but the session continues.
func (c *Client) Send(now time.Time, payload []byte) error {
	switch {
	case len(payload) < 1 || len(payload) > MaxPayload:
		return ErrPayloadSize
	case c.state != Connected:
		return ErrNotConnected
	}
	return c.send(now, kindPayload, payload)
}

// Disconnect ends the session or the attempt to connect. It sends ten disconnect packets. It does not call [ClientHandler].
func (c *Client) Disconnect(now time.Time) {
	c.leave(now)
	c.state = Ended
}

// Forget ends the session or the attempt to connect without notifying the server, which will time out. Use it when the
// session continues in another process, and in tests. It does not call [ClientHandler].
func (c *Client) Forget() { c.state = Ended }

// leave sends disconnect packets if the server may have given the client a slot.
func (c *Client) leave(now time.Time) {
	if c.state != Responding && c.state != Connected {
		return
	}
	for range disconnects {
		_ = c.send(now, kindDisconnect, nil)
	}
}

// serverTimeout is the silence after which a client tries the next server of a token that has no timeout.
const serverTimeout = 2 * time.Second

// Update sends due requests, responses and keep-alives, and checks timeouts. Call it at least ten times per second. The
// first call starts the connection; its now should be the time of day, because the client's sequence numbers depend on it.
func (c *Client) Update(now time.Time, h ClientHandler) {
	if c.state == Ended {
		return
	}
	at, held := c.clock.update(now)
	if !c.begun {
		c.begun, c.sequence = true, firstSequence(c.token.Expire, now)
		c.start, c.heard, c.sent = at, at, at-sendInterval
	}
	c.heard = min(c.heard+held, at)
	timeout := c.timeout
	if timeout <= 0 && c.state != Connected && c.attempt+1 < len(c.token.Servers) {
		timeout = serverTimeout
	}
	silent := timeout > 0 && at-c.heard >= timeout
	switch {
	case c.state == Connected && silent:
		c.end(now, ErrTimeout, h)
	case c.state != Connected && c.expired(at):
		c.end(now, fmt.Errorf("%w while no server took the client: each attempt needs a token of its own", ErrTokenExpired), h)
	case c.state != Connected && silent:
		c.fail(now, c.Unanswered(now), h)
	}
	if c.state != Ended && at-c.sent >= sendInterval {
		c.speak(now)
	}
}

// Unanswered returns the reason to give up at now because the server does not answer. The error wraps [ErrTokenExpired] if
// the token had expired by this machine's clock when the client started, and [ErrTimeout] otherwise.
// [ClientHandler.Disconnected] receives this error after the token's timeout. Call Unanswered to end an attempt earlier.
func (c *Client) Unanswered(now time.Time) error {
	began := unixTime(now.Add(c.start - c.clock.At(now)))
	switch {
	case c.state == Responding || c.state == Connected:
		return fmt.Errorf("%w: %v has taken the token and then sent nothing more: its log may say why", ErrTimeout, c.server)
	case c.token.Expire <= began:
		return fmt.Errorf("%w %d s before the client began, by this machine's clock, and %v did not answer: get a token just before connecting, and set the clock",
			ErrTokenExpired, began-c.token.Expire, c.server)
	}
	return fmt.Errorf("%w: no answer from %v: the server may be down, or may have refused the token: look into its log", ErrTimeout, c.server)
}

// Challenged reports whether a server has accepted the token and sent a challenge.
func (c *Client) Challenged() bool { return c.challenge != [challengeBody]byte{} }

// Servers returns the server addresses of the token, in the order in which the client tries them.
func (c *Client) Servers() []netip.AddrPort { return slices.Clone(c.token.Servers) }

// expired reports whether the token's lifetime has passed by the client's own clock.
func (c *Client) expired(at time.Duration) bool {
	lifetime := min(c.token.Expire-c.token.Create, 1<<33) // seconds; more does not fit a Duration
	return at-c.start >= time.Duration(lifetime)*time.Second
}

// speak sends the packet that the state repeats ten times per second.
func (c *Client) speak(now time.Time) {
	switch c.state {
	case Requesting:
		b := append(c.scratch.packet[:0], kindRequest)
		b = append(b, version...)
		b = binary.LittleEndian.AppendUint64(b, c.token.ProtocolID)
		b = binary.LittleEndian.AppendUint64(b, c.token.Expire)
		b = append(b, c.token.Nonce[:]...)
		c.scratch.packet = append(b, c.token.Private[:]...)
		c.sent = c.clock.At(now)
		_ = c.out(c.server, c.scratch.packet)
	case Responding:
		_ = c.send(now, kindResponse, c.challenge[:])
	case Connected:
		var body [keepAliveBody]byte
		binary.LittleEndian.PutUint32(body[:], c.slot)
		binary.LittleEndian.PutUint32(body[4:], c.slots)
		_ = c.send(now, kindKeepAlive, append(c.scratch.plain[:0], body[:]...))
	}
}

func (c *Client) send(now time.Time, kind uint8, body []byte) error {
	if c.sequence >= globalSequence {
		return ErrExhausted
	}
	c.scratch.packet = c.sender.appendPacket(c.scratch.packet[:0], &c.scratch.parameters, kind, c.sequence, body)
	c.sequence++
	c.sent = c.clock.At(now)
	return c.out(c.server, c.scratch.packet)
}

// Receive processes a datagram that arrived at now. It returns and counts the reason if the datagram was dropped.
func (c *Client) Receive(now time.Time, from netip.AddrPort, datagram []byte, h ClientHandler) DropReason {
	drop := c.receive(now, public(from), datagram, h)
	c.drops.count(drop)
	return drop
}

func (c *Client) receive(now time.Time, from netip.AddrPort, b []byte, h ClientHandler) DropReason {
	head, drop := parseHeader(b, receives[c.state])
	switch {
	case drop != DropNone:
		return drop
	case !c.begun:
		return DropType
	case from != c.server:
		return DropUnknownSender
	}
	inSession := head.kind >= kindKeepAlive
	if inSession {
		if drop := c.window.check(head.sequence); drop != DropNone {
			return drop
		}
	}
	body, ok := c.receiver.open(c.scratch.plain[:0], &c.scratch.parameters, head, b)
	switch {
	case !ok:
		return DropForged
	case head.kind == kindChallenge && c.state != Requesting:
		return DropRepeated
	}
	if inSession {
		c.window.advance(head.sequence)
	}
	if !bodyFits(head.kind, len(body)) {
		return DropMalformed
	}
	c.heard = c.clock.At(now)
	switch head.kind {
	case kindDenied:
		c.fail(now, ErrDenied, h)
	case kindChallenge:
		copy(c.challenge[:], body)
		c.state = Responding
		c.speak(now)
	case kindKeepAlive:
		c.slot, c.slots = binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint32(body[4:])
		if c.state == Responding {
			c.state, c.window = Connected, newWindow(head.sequence)
			h.Connected(now, c)
		}
	case kindPayload:
		h.Payload(now, c, body)
	case kindDisconnect:
		c.end(now, ErrDisconnected, h)
	}
	return DropNone
}

// fail continues with the next server. After the last server it ends the client with reason.
func (c *Client) fail(now time.Time, reason error, h ClientHandler) {
	c.leave(now)
	if c.attempt+1 >= len(c.token.Servers) {
		c.end(now, reason, h)
		return
	}
	c.attempt++
	c.server = c.token.Servers[c.attempt]
	c.state, c.window = Requesting, window{}
	c.heard = c.clock.At(now)
	c.speak(now)
}

func (c *Client) end(now time.Time, reason error, h ClientHandler) {
	c.state = Ended
	h.Disconnected(now, c, reason)
}
