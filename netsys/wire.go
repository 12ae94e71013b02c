package netsys

import (
	"net/netip"
	"time"
)

// MaxDatagram is the length in bytes of the longest datagram that a wire carries. Sessions use at most 1,200 bytes, so that no
// path on the internet has to fragment a datagram. [Wire.Send] returns [ErrTooLarge] for longer datagrams. A longer datagram that
// arrives is truncated to MaxDatagram+1 bytes, which bounds memory and still shows that the datagram was too long.
const MaxDatagram = 1500

// Wire transports datagrams between addresses. A datagram can be lost, duplicated or reordered. Only one goroutine uses a wire;
// the implementation may use more goroutines inside.
//
// The caller passes the time. Virtual wires ([Node], [Conditioner]) have no other clock. Wires on real sockets stamp arrivals with
// time.Now, so the now that is passed to Poll must come from time.Now too.
type Wire interface {
	// Poll calls deliver for every datagram that arrived at or before now, in the order of arrival. It does not block. deliver
	// may call Send, but neither Poll nor Close. Poll does not allocate. A function literal that captures variables does, so
	// store deliver once.
	Poll(now time.Time, deliver func(d Datagram))

	// Send sends a copy of b to an address. It does not block. An error means only that this datagram is lost: [ErrFull] if a
	// buffer is full, [ErrTooLarge] above [MaxDatagram], [ErrClosed] after Close, or an error of the operating system.
	Send(now time.Time, to netip.AddrPort, b []byte) error

	// LocalAddr returns the address that the wire is bound to, with the actual port. A wire with several addresses also has a
	// method LocalAddrs() []netip.AddrPort that returns all of them.
	LocalAddr() netip.AddrPort

	// Close releases the address. Datagrams that were not delivered are lost. Further calls do nothing.
	Close() error
}

// Flusher is implemented by wires that collect datagrams and send them together. [Server.Poll] flushes the wire at its end. A
// caller that sends outside Poll calls [Server.Flush] after the last Send of a tick. Otherwise the datagrams wait for the next
// Poll.
type Flusher interface {
	// Flush sends the collected datagrams. It does not block. Datagrams that cannot be sent are lost, and the wire counts them.
	Flush(now time.Time)
}

// Failing is implemented by wires that can end without Close, such as when the operating system takes their socket away.
type Failing interface {
	// Err returns why the wire receives nothing any more, nil while it works. It stays the same after the first error. Losses and
	// shortages that pass are no such error. Any goroutine may call Err.
	Err() error
}

// WireError returns the error of a wire that is [Failing], nil for any other wire. A server cannot go on after an error: its
// players hear nothing, so it ends and its process starts again.
func WireError(w Wire) error {
	if f, ok := w.(Failing); ok {
		return f.Err()
	}
	return nil
}

// ParallelWire is implemented by wires on which several goroutines can send at the same time, each with its own [Sender]: see
// [Server.Spread].
type ParallelWire interface {
	Wire
	// Senders returns n senders, at least 1. The goroutine that polls uses the first one too. Senders is called once, before the
	// first Poll.
	Senders(n int) []Sender
}

// Sender sends on a [ParallelWire] on behalf of one goroutine.
type Sender interface {
	// Send does what [Wire.Send] does. It copies nothing if b starts at the start of Room.
	Send(now time.Time, to netip.AddrPort, b []byte) error
	// Room returns a buffer of at least [MaxDatagram] bytes for the next datagram. It is valid until the next Send or Flush.
	Room() []byte
	// Flush sends the datagrams that this sender has collected. Flush of the wire does so for all senders.
	Flush(now time.Time)
}

// oneSender implements [Sender] for a wire that is not a [ParallelWire].
type oneSender struct {
	Wire
	buf [MaxDatagram]byte
}

func (o *oneSender) Room() []byte        { return o.buf[:] }
func (o *oneSender) Flush(now time.Time) { flush(o.Wire, now) }

// Datagram is one arrival on a [Wire].
type Datagram struct {
	// From is the sender's address. IPv4 addresses are never in their IPv6-mapped form. Anybody can forge it.
	From netip.AddrPort

	// At is the time of arrival, never after the now of the Poll that delivers it.
	At time.Time

	// Data has at most [MaxDatagram]+1 bytes. It is valid during the call that delivers the datagram.
	Data []byte
}

// scheduled is implemented by wires that delay datagrams.
type scheduled interface {
	NextDue() (time.Time, bool)
}

// flush flushes a wire that is a [Flusher].
func flush(w Wire, now time.Time) {
	if f, ok := w.(Flusher); ok {
		f.Flush(now)
	}
}

// unmap converts IPv4-mapped IPv6 addresses to IPv4, so that each peer has one address.
func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
