package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// ClientHandler is told what happens on a [Client], in the call that feeds it. It may send and disconnect.
type ClientHandler interface {
	// Connected: a server gave the client a slot.
	Connected(now time.Time, c *Client)
	// Payload: a payload came, 1 to [MaxPayload] bytes that are valid during the call.
	Payload(now time.Time, c *Client, payload []byte)
	// Disconnected: the session has ended, or no server of the token took the client. The reason is, or wraps,
	// [ErrTimeout], [ErrDenied], [ErrTokenExpired] or [ErrDisconnected].
	Disconnected(now time.Time, c *Client, reason error)
}

// ClientState says how far a client is.
type ClientState uint8

// The states, in the order in which a client goes through them. A server that denies or does not answer leads from
// [Responding] back to [Requesting] with the next server of the token.
const (
	// Requesting: the client sends requests ten times a second.
	Requesting ClientState = iota
	// Responding: the client was challenged and answers ten times a second.
	Responding
	// Connected: the client has a slot.
	Connected
	// Ended: a client connects once; for another session take another token.
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

// receives are the packets that a client expects in each state.
var receives = [...]kinds{
	Requesting: 1<<kindDenied | 1<<kindChallenge,
	Responding: 1<<kindDenied | 1<<kindKeepAlive,
	Connected:  1<<kindKeepAlive | 1<<kindPayload | 1<<kindDisconnect,
	Ended:      0,
}

// Client is the client's end of a session. It is used by one goroutine.
type Client struct {
	token   ConnectToken
	out     func(to netip.AddrPort, datagram []byte) error
	timeout time.Duration // 0: none

	state    ClientState
	attempt  int // index of the server
	server   netip.AddrPort
	sender   direction
	receiver direction
	sequence uint64 // goes on from server to server: all of the token have the same keys
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

// NewClient returns a client that connects with a token, which must not serve another client at the same time: they
// would repeat each other's nonces. It sends by calling out, which must not keep the datagram nor call back; an error of
// out means that the datagram is lost. Nothing is sent before the first Update. The error wraps [ErrToken].
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
	c.token.ClientToServer, c.token.ServerToClient = Key{}, Key{} // whoever prints a client does not print those
	c.token.Servers = nil
	for _, a := range token.Servers {
		c.token.Servers = append(c.token.Servers, public(a))
	}
	c.server = c.token.Servers[0]
	return c, nil
}

// Room is memory for packets; see [Client.Share]. The zero value is ready.
type Room struct {
	plain, packet [MaxDatagram]byte
	payload       [MaxPayload]byte
}

// Payload is room for what is to be sent; of nil it is fresh.
func (r *Room) Payload() *[MaxPayload]byte {
	if r == nil {
		return new([MaxPayload]byte)
	}
	return &r.payload
}

// Share makes the client put its packets together in a room, and open them there, that other clients may use whenever this one
// is not in a call: for many clients of one goroutine. nil changes nothing. It returns the client.
func (c *Client) Share(r *Room) *Client {
	if r != nil {
		c.scratch.plain, c.scratch.packet = r.plain[:0], r.packet[:0]
	}
	return c
}

// String tells state and server.
func (c *Client) String() string { return fmt.Sprintf("client %v with %v", c.state, c.server) }

// Format implements [fmt.Formatter] by String for every verb that asks it, without telling keys.
func (c Client) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), c.String()) }

// State says how far the client is.
func (c *Client) State() ClientState { return c.state }

// Server is the address of the server that the client is connected or connecting to.
func (c *Client) Server() netip.AddrPort { return c.server }

// Slot is the client's number on the server, and the number of slots there; both 0 before it is connected.
func (c *Client) Slot() (slot, slots uint32) { return c.slot, c.slots }

// Drops counts what was dropped so far, by reason.
func (c *Client) Drops() Drops { return c.drops }

// Send sends a payload of 1 to [MaxPayload] bytes. The error is [ErrPayloadSize], [ErrNotConnected],
// [ErrExhausted], or that of the client's send function; the payload is lost then, and the session goes on.
func (c *Client) Send(now time.Time, payload []byte) error {
	switch {
	case len(payload) < 1 || len(payload) > MaxPayload:
		return ErrPayloadSize
	case c.state != Connected:
		return ErrNotConnected
	}
	return c.send(now, kindPayload, payload)
}

// Disconnect ends the session or the attempt to connect, and tells the server so ten times over. [ClientHandler]
// does not hear of it.
func (c *Client) Disconnect(now time.Time) {
	c.leave(now)
	c.state = Ended
}

// Forget ends the session or the attempt to connect without telling the server, which will time out: for a client that
// lives on elsewhere, and for tests of what happens to the rest. [ClientHandler] does not hear of it.
func (c *Client) Forget() { c.state = Ended }

// leave tells a server that may have given the client a slot to free it.
func (c *Client) leave(now time.Time) {
	if c.state != Responding && c.state != Connected {
		return
	}
	for range disconnects {
		_ = c.send(now, kindDisconnect, nil)
	}
}

// Update does what is due at now: requests, responses, keep-alives, timeouts. Call it at least ten times a second. A
// client begins to connect with the first one, whose time should be the time of day: the client's sequences begin by it.
func (c *Client) Update(now time.Time, h ClientHandler) {
	if c.state == Ended {
		return
	}
	at, held := c.clock.look(now)
	if !c.begun {
		c.begun, c.sequence = true, firstSequence(c.token.Expire, now)
		c.start, c.heard, c.sent = at, at, at-sendInterval
	}
	c.heard = min(c.heard+held, at)
	silent := c.timeout > 0 && at-c.heard >= c.timeout
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

// Unanswered is the reason to give up at now because the server does not answer: it wraps [ErrTokenExpired] where the
// token had expired, by this machine's clock, when the client began, else [ErrTimeout]. [ClientHandler.Disconnected] gets it
// after the token's timeout; it is for callers that end an attempt earlier.
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

// Challenged reports whether a server has taken the token, and asked the client to prove its address.
func (c *Client) Challenged() bool { return c.challenge != [challengeBody]byte{} }

// Servers are the addresses that the token names, in the order in which they are tried.
func (c *Client) Servers() []netip.AddrPort { return slices.Clone(c.token.Servers) }

// expired reports whether the token's lifetime has gone by, by this client's own clock.
func (c *Client) expired(at time.Duration) bool {
	lifetime := min(c.token.Expire-c.token.Create, 1<<33) // seconds; more does not fit a Duration
	return at-c.start >= time.Duration(lifetime)*time.Second
}

// speak sends what the state wants sent ten times a second.
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

// Receive takes a datagram that arrived at now. It returns why the datagram was dropped; that is counted too.
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
	if !ok {
		return DropForged
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

// fail goes on to the next server, or ends for a reason when there is none.
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
