package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"
)

// Peer is a client that has a slot. It belongs to the goroutine of its server.
//
// Of a thousand clients nothing is in the caches when the next packet comes, and a cache line that comes from memory
// takes as long as the cipher. So what a packet needs lies together: what has pointers and at most 512 bytes begins with
// a cache line, as package runtime allocates it.
type Peer struct {
	// Context is for the caller, who may keep what belongs to the session here.
	Context any

	// What every packet needs are these three cache lines, and the keys that in and out lead to.
	server    *Server
	lane      *Lane
	ended     bool
	confirmed bool
	allowance allowance
	heard     time.Duration // when something of the client was received, by the server's clock
	sent      time.Duration // and when something was sent to it

	window   window
	sequence uint64
	in       direction

	out  direction
	addr netip.AddrPort
	slot int
	over time.Duration // since when it is over its rate; 0: it is not

	elsewhere netip.AddrPort // where [Server.Find] found it last
	timeout   time.Duration  // 0: none
	id        uint64
	expire    uint64 // of its token, seconds since 1970
	userData  *[UserDataSize]byte
}

// Touch reads a byte of each cache line of the peer that receiving and sending need. Call it for several peers before you
// receive or send for them: then the lines of all come from memory at the same time. What it returns means nothing: it is
// there so that the compiler leaves nothing out.
func (p *Peer) Touch() byte {
	return byte(p.allowance) ^ byte(p.window.most) ^ byte(p.slot)
}

// Slot is the number of the slot, from 0 on. It goes to another client after the session.
func (p *Peer) Slot() int { return p.slot }

// ClientID is the player's id, as whoever issued the token said.
func (p *Peer) ClientID() uint64 { return p.id }

// Address is where the client is.
func (p *Peer) Address() netip.AddrPort { return p.addr }

// UserData is what whoever issued the token said about the client. The bytes must not be changed.
func (p *Peer) UserData() []byte { return p.userData[:] }

// Confirmed reports whether the client is known to have learned that it is connected.
func (p *Peer) Confirmed() bool { return p.confirmed }

// Connected reports whether the session goes on.
func (p *Peer) Connected() bool { return !p.ended }

// String tells slot, id and address.
func (p *Peer) String() string {
	return fmt.Sprintf("client %d at %v in slot %d", p.id, p.addr, p.slot)
}

// Format implements [fmt.Formatter] by String for every verb that asks it, without telling keys.
func (p Peer) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), p.String()) }

// Send sends a payload of 1 to [MaxPayload] bytes. Until the client is confirmed a keep-alive goes before it, which
// tells the client that it is connected. The error is [ErrPayloadSize], [ErrNotConnected], [ErrExhausted], or that
// of the server's send function; the payload is lost then, and the session goes on.
func (p *Peer) Send(now time.Time, payload []byte) error {
	if len(payload) < 1 || len(payload) > MaxPayload {
		return ErrPayloadSize
	}
	if !p.confirmed {
		if err := p.keepAlive(now); err != nil {
			return err
		}
	}
	return p.send(now, kindPayload, payload)
}

// Disconnect ends the session and tells the client so ten times over. [ServerHandler] does not hear of it.
func (p *Peer) Disconnect(now time.Time) {
	for range disconnects {
		_ = p.send(now, kindDisconnect, nil)
	}
	p.server.remove(p)
}

// Forget ends the session without telling the client, which will time out. [ServerHandler] does not hear of it.
func (p *Peer) Forget() { p.server.remove(p) }

func (p *Peer) keepAlive(now time.Time) error {
	l := p.lane
	l.body = binary.LittleEndian.AppendUint32(l.body[:0], uint32(p.slot))
	l.body = binary.LittleEndian.AppendUint32(l.body, uint32(p.server.config.MaxClients))
	return p.send(now, kindKeepAlive, l.body)
}

func (p *Peer) send(now time.Time, kind uint8, body []byte) error {
	return p.sendTo(now, p.addr, kind, body)
}

func (p *Peer) sendTo(now time.Time, to netip.AddrPort, kind uint8, body []byte) error {
	switch {
	case p.ended:
		return ErrNotConnected
	case p.sequence >= globalSequence:
		return ErrExhausted
	}
	packet := p.lane.seal(&p.out, kind, p.sequence, body)
	p.sequence++
	p.sent = p.server.at(now)
	return p.lane.out(to, packet)
}

// open decrypts a packet of the session, which then counts as received.
func (p *Peer) open(now time.Time, h header, b []byte) (body []byte, drop DropReason) {
	if drop := p.window.check(h.sequence); drop != DropNone {
		return nil, drop
	}
	s := p.server
	at := s.at(now)
	if !p.allowance.left(at, burstTime) {
		if p.overFor(at) == 0 {
			p.over, s.peers.due[p.slot] = at, 0
		}
		return nil, DropFlood
	}
	body, ok := p.in.open(p.lane.plain[:0], &p.lane.parameters, h, b)
	if !ok {
		return nil, DropForged
	}
	// Counted only now: somebody who forges the client's address must not use up its allowance.
	p.allowance.use(at, s.peers.interval)
	p.window.advance(h.sequence)
	if !bodyFits(h.kind, len(body)) {
		return nil, DropMalformed
	}
	return body, DropNone
}

// due is when Update has to look at the peer, unless it is heard or sent to before.
func (p *Peer) due() time.Duration {
	switch {
	case p.over != 0:
		return 0 // each time, until that is over
	case p.timeout > 0:
		return min(p.sent+sendInterval, p.heard+p.timeout)
	}
	return p.sent + sendInterval
}

// overFor is how long ago the peer began to send more than it may, unless it has made up for half a burst since.
func (p *Peer) overFor(at time.Duration) time.Duration {
	if p.allowance.left(at, burstTime/2) {
		p.over = 0
	}
	if p.over == 0 {
		return 0
	}
	return at - p.over
}

// handle acts on an authentic packet.
func (p *Peer) handle(now time.Time, kind uint8, body []byte, h ServerHandler) {
	p.heard = p.server.at(now)
	switch kind {
	case kindKeepAlive:
		p.confirmed = true
	case kindPayload:
		p.confirmed = true
		h.Payload(now, p, body)
	case kindDisconnect:
		p.server.remove(p)
		h.Disconnected(now, p, ErrDisconnected)
	}
}
