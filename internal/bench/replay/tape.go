package replay

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Tape is what a server was sent in a match.
type Tape struct {
	// World is the hash of the server's world after the last tick.
	World uint64

	match Match
	ticks int
	sent  []arrival
	bytes []byte // of all datagrams
}

// arrival is a datagram.
type arrival struct {
	at       time.Time
	from     netip.AddrPort
	off, end int
}

// Ticks is how long the match is.
func (t *Tape) Ticks() int { return t.ticks }

// Datagrams is how many there are on it, and of how many bytes.
func (t *Tape) Datagrams() (n, size int) { return len(t.sent), len(t.bytes) }

// recorder is a server's wire that records what arrives.
type recorder struct {
	netsys.Wire
	tape *Tape
}

// Poll implements [netsys.Wire].
func (r *recorder) Poll(now time.Time, deliver func(netsys.Datagram)) {
	r.Wire.Poll(now, func(d netsys.Datagram) {
		t, off := r.tape, len(r.tape.bytes)
		t.bytes = append(t.bytes, d.Data...)
		t.sent = append(t.sent, arrival{d.At, d.From, off, len(t.bytes)})
		deliver(d)
	})
}

// Replay is a server that is sent what is on a tape.
type Replay struct {
	// Server is the server. Between two ticks it may be looked at.
	Server *systems.Server

	tape *Tape
	wire player
	made int
}

// Open makes a server, with so many workers, that stands before the first tick of the match.
func (t *Tape) Open(workers int) (*Replay, error) {
	r := &Replay{tape: t}
	r.wire.tape, r.wire.told = t, make(map[netip.AddrPort]*Told)
	r.wire.one.player = &r.wire
	var err error
	r.Server, err = t.match.open(&r.wire, workers)
	return r, err
}

// Tick runs the next tick of the match, and is false behind its last.
func (r *Replay) Tick() bool {
	if r.made >= r.tape.ticks {
		return false
	}
	r.made += r.Server.Advance(r.Server.Next())
	return true
}

// Told is what the server has sent.
type Told struct {
	Datagrams, Bytes uint64
	// Hash is one over all datagrams, for each client in their order.
	Hash uint64
}

// Told sums up what was sent to all clients.
func (r *Replay) Told() (all Told) {
	for _, x := range r.wire.told {
		all.Datagrams += x.Datagrams
		all.Bytes += x.Bytes
		all.Hash += mix(x.Hash, x.Bytes)
	}
	return all
}

// Close ends the server.
func (r *Replay) Close() error { return r.Server.Close(r.Server.Next()) }

// player is the wire of a replay. Each of its senders has the others' clients only at other times.
type player struct {
	tape *Tape
	next int
	told map[netip.AddrPort]*Told // changed by who polls alone
	one  sender                   // of who polls
}

var _ netsys.ParallelWire = (*player)(nil)

// Poll implements [netsys.Wire].
func (p *player) Poll(now time.Time, deliver func(netsys.Datagram)) {
	t := p.tape
	for ; p.next < len(t.sent) && !t.sent[p.next].at.After(now); p.next++ {
		a := &t.sent[p.next]
		if p.told[a.from] == nil {
			p.told[a.from] = new(Told)
		}
		deliver(netsys.Datagram{From: a.from, At: a.at, Data: t.bytes[a.off:a.end]})
	}
}

// Send implements [netsys.Wire]: nobody listens, what was said counts.
func (p *player) Send(now time.Time, to netip.AddrPort, b []byte) error {
	return p.one.Send(now, to, b)
}

// Senders implements [netsys.ParallelWire].
func (p *player) Senders(n int) (all []netsys.Sender) {
	for range n {
		all = append(all, &sender{player: p})
	}
	return all
}

// sender is how one goroutine sends.
type sender struct {
	*player
	room [netsys.MaxDatagram]byte
}

// Send implements [netsys.Sender]. The server has been sent something by whoever it sends to.
func (s *sender) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	s.told[to].add(b)
	return nil
}

// Room implements [netsys.Sender].
func (s *sender) Room() []byte { return s.room[:] }

// Flush implements [netsys.Sender].
func (s *sender) Flush(time.Time) {}

// add counts a datagram.
func (x *Told) add(b []byte) {
	x.Datagrams++
	x.Bytes += uint64(len(b))
	h := mix(x.Hash, uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		h = mix(h, uint64(c))
	}
	x.Hash = h
}

// mix takes another word into a hash.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(v, 29)
}

// LocalAddr implements [netsys.Wire].
func (p *player) LocalAddr() netip.AddrPort { return serverAddr }

// Close implements [netsys.Wire].
func (p *player) Close() error { return nil }
