package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
)

// Peer is a client with a slot. It belongs to the goroutine of its server.
//
// With a thousand clients, a peer is not in the caches when its next packet arrives, and loading a cache line takes as long
// as the cipher. The fields that every packet needs are therefore adjacent. Objects with pointers and at most 512 bytes
// start at a cache line, as package runtime allocates them.
type Peer struct {
	// Context is for the caller, for example the caller's own session state.
	Context any

	// Every packet needs these three cache lines, and the ciphers of in and out.
	server    *Server
	lane      *Lane
	ended     bool
	confirmed bool
	rate      allowance.Rate // of its packets
	heard     time.Duration  // when a packet of the client was last received, by the server's clock
	sent      time.Duration  // when a packet was last sent to the client

	window   window
	sequence uint64
	in       direction

	out  direction
	addr netip.AddrPort
	slot int
	over time.Duration // since when the peer exceeds its rate; 0: it does not

	elsewhere netip.AddrPort // where [Server.Find] last found the peer
	timeout   time.Duration  // 0: none
	id        uint64
	mac       tokenMAC
	expire    uint64 // expiry of its token, seconds since 1970
	userData  *[UserDataSize]byte
}

// Touch reads one byte of each cache line that receiving and sending need. Call it for several peers before receiving or
// sending, so that their lines load in parallel. Ignore the result; it only keeps the compiler from removing the reads.
func (p *Peer) Touch() byte {
	return byte(p.rate) ^ byte(p.window.most) ^ byte(p.slot)
}

// Slot returns the number of the slot, from 0 on. The server reuses the slot after the session.
func (p *Peer) Slot() int { return p.slot }

// ClientID returns the player's id in the token.
func (p *Peer) ClientID() uint64 { return p.id }

// Address returns the client's address.
func (p *Peer) Address() netip.AddrPort { return p.addr }

// UserData returns the data about the client in the token. Do not modify the bytes.
func (p *Peer) UserData() []byte { return p.userData[:] }

// Confirmed reports whether the client has shown, by sending a packet, that it knows it is connected.
func (p *Peer) Confirmed() bool { return p.confirmed }

// Connected reports whether the session has not ended.
func (p *Peer) Connected() bool { return !p.ended }

// String returns slot, id and address.
func (p *Peer) String() string {
	return fmt.Sprintf("client %d at %v in slot %d", p.id, p.addr, p.slot)
}

// Format implements [fmt.Formatter]. It prints String for every verb and never prints keys.
func (p Peer) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), p.String()) }

// Send sends a payload of 1 to [MaxPayload] bytes. Until the client is confirmed, a keep-alive precedes each payload, so
// that the client learns that it is connected. The error is [ErrPayloadSize], [ErrNotConnected], [ErrExhausted], or the
// error of the server's send function. After an error the payload is lost, but the session continues.
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

// Disconnect ends the session and sends ten disconnect packets. It does not call [ServerHandler].
func (p *Peer) Disconnect(now time.Time) {
	for range disconnects {
		_ = p.send(now, kindDisconnect, nil)
	}
	p.server.remove(p)
}

// Forget ends the session without notifying the client, which will time out. It does not call [ServerHandler].
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
	p.sent = p.server.clockTime(now)
	return p.lane.out(to, packet)
}

// open decrypts a packet of the session and marks it as received.
func (p *Peer) open(now time.Time, h header, b []byte) (body []byte, drop DropReason) {
	if drop := p.window.check(h.sequence); drop != DropNone {
		return nil, drop
	}
	s := p.server
	at := s.clockTime(now)
	if p.rate.Wait(at, s.peers.interval, burstTime) > 0 {
		if p.overFor(at) == 0 {
			p.over, s.peers.due[p.slot] = at, 0
		}
		return nil, DropFlood
	}
	body, ok := p.in.open(p.lane.plain[:0], &p.lane.parameters, h, b)
	if !ok {
		return nil, DropForged
	}
	// The packet is counted after its authentication: forged packets from the client's address must not use up its
	// allowance.
	p.rate.Use(at, s.peers.interval)
	p.window.advance(h.sequence)
	if !bodyFits(h.kind, len(body)) {
		return nil, DropMalformed
	}
	return body, DropNone
}

// repeated checks a response from the address of the session. The client resends its response until the server has
// confirmed the connection, so copies of the response arrive at a server that already knows the client.
func (p *Peer) repeated(h header, b []byte) DropReason {
	if _, ok := p.in.open(p.lane.plain[:0], &p.lane.parameters, h, b); !ok {
		return DropConnected
	}
	return DropRepeated
}

// due returns when Update must check the peer, unless a packet is received or sent before.
func (p *Peer) due() time.Duration {
	switch {
	case p.over != 0:
		return 0 // every time, until the rate is normal again
	case p.timeout > 0:
		return min(p.sent+sendInterval, p.heard+p.timeout)
	}
	return p.sent + sendInterval
}

// overFor returns for how long the peer has exceeded its rate. The count restarts when the peer has half a burst to spare.
func (p *Peer) overFor(at time.Duration) time.Duration {
	if p.rate.Wait(at, burstTime/2, burstTime) == 0 {
		p.over = 0
	}
	if p.over == 0 {
		return 0
	}
	return at - p.over
}

// handle processes an authentic packet.
func (p *Peer) handle(now time.Time, kind uint8, body []byte, h ServerHandler) {
	p.heard = p.server.clockTime(now)
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
