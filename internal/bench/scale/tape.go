package main

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// tape holds the datagrams that a server received in a match. A replay needs no clients, so they take no time. All time is
// virtual and all random numbers follow from a seed, so a replayed server sends the same datagrams as the recorded one.
type tape struct {
	match    match
	ticks    int
	world    uint64 // hash of the server's world after the last tick
	received []datagram
	bytes    []byte // of all datagrams
}

// datagram is a received datagram of the server.
type datagram struct {
	at       time.Time
	from     netip.AddrPort
	off, end int // in tape.bytes
}

// recorder is a server's transport that records the received datagrams.
type recorder struct {
	netsys.Wire
	tape *tape
}

// Poll implements [netsys.Wire].
func (r *recorder) Poll(now time.Time, deliver func(netsys.Datagram)) {
	r.Wire.Poll(now, func(d netsys.Datagram) {
		t, off := r.tape, len(r.tape.bytes)
		t.bytes = append(t.bytes, d.Data...)
		t.received = append(t.received, datagram{d.At, d.From, off, len(t.bytes)})
		deliver(d)
	})
}

// replay is a server that receives the datagrams of a tape.
type replay struct {
	server *systems.Server
	tape   *tape
	wire   player
	made   int // ticks
}

// open creates a server, with a number of workers, before the first tick of the match.
func (t *tape) open(workers int) (*replay, error) {
	r := &replay{tape: t}
	r.wire.tape, r.wire.sent = t, make(map[netip.AddrPort]*sent)
	r.wire.one.player = &r.wire
	var err error
	r.server, err = t.match.open(&r.wire, workers)
	return r, err
}

// tick runs the next tick of the match. It returns false after the last.
func (r *replay) tick() bool {
	if r.made >= r.tape.ticks {
		return false
	}
	r.made += r.server.Advance(r.server.Next())
	return true
}

// sent counts what the server has sent to a client.
type sent struct {
	datagrams, bytes uint64
	hash             uint64 // over all datagrams, in their order
}

// totalSent returns the sum over all clients.
func (r *replay) totalSent() (all sent) {
	for _, x := range r.wire.sent {
		all.datagrams += x.datagrams
		all.bytes += x.bytes
		all.hash += mix(x.hash, x.bytes)
	}
	return all
}

// close ends the server.
func (r *replay) close() error { return r.server.Close(r.server.Next()) }

// player is the wire of a replay. At any time, each client belongs to one of its senders.
type player struct {
	tape *tape
	next int                      // in tape.received
	sent map[netip.AddrPort]*sent // only Poll changes the map
	one  sender                   // of the goroutine that polls
}

var _ netsys.ParallelWire = (*player)(nil)

// Poll implements [netsys.Wire].
func (p *player) Poll(now time.Time, deliver func(netsys.Datagram)) {
	t := p.tape
	for ; p.next < len(t.received) && !t.received[p.next].at.After(now); p.next++ {
		a := &t.received[p.next]
		if p.sent[a.from] == nil {
			p.sent[a.from] = new(sent)
		}
		deliver(netsys.Datagram{From: a.from, At: a.at, Data: t.bytes[a.off:a.end]})
	}
}

// Send implements [netsys.Wire]: it counts the datagram.
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

// sender sends for one goroutine.
type sender struct {
	*player
	room [netsys.MaxDatagram]byte
}

// Send implements [netsys.Sender]. The server has received something from each client that it sends to.
func (s *sender) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	s.player.sent[to].add(b)
	return nil
}

// Room implements [netsys.Sender].
func (s *sender) Room() []byte { return s.room[:] }

// Flush implements [netsys.Sender].
func (s *sender) Flush(time.Time) {}

// add counts a datagram.
func (x *sent) add(b []byte) {
	x.datagrams++
	x.bytes += uint64(len(b))
	h := mix(x.hash, uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		h = mix(h, uint64(c))
	}
	x.hash = h
}

// mix returns the hash of h and another word.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(v, 29)
}

// LocalAddr implements [netsys.Wire].
func (p *player) LocalAddr() netip.AddrPort { return serverAddr }

// Close implements [netsys.Wire].
func (p *player) Close() error { return nil }
