package netsys

import (
	"net/netip"
	"time"
)

// MaxDatagram is the longest datagram in bytes that a wire carries. Nothing honest is longer: sessions stay
// at or below 1,200 bytes, so that no path on the internet has to fragment them. [Wire.Send] refuses more
// with [ErrTooLarge]; an arriving datagram that is longer is cut to MaxDatagram+1 bytes, which bounds memory
// and still shows the endpoint that it was too long.
const MaxDatagram = 1500

// Wire moves datagrams between addresses without a promise of delivery, order or uniqueness. A wire is used
// by one goroutine; whatever concurrency it has inside is its own affair.
//
// Time is an argument. Virtual wires ([Node], [Conditioner]) know no other clock. Wires on real sockets stamp
// arrivals with time.Now, so they must be polled with a now that comes from time.Now as well.
type Wire interface {
	// Poll calls deliver for every datagram that arrived at or before now, in the order of arrival, and
	// returns. It never blocks. deliver may call Send, but neither Poll nor Close. Pass a function that is
	// stored once, rather than a literal that captures variables, and a poll allocates nothing.
	Poll(now time.Time, deliver func(d Datagram))

	// Send copies b and sends it to an address. It never blocks. An error means that this datagram is lost
	// and nothing else: [ErrFull] when a buffer on the way has no room, [ErrTooLarge] above [MaxDatagram],
	// [ErrClosed] after Close, or what the operating system says.
	Send(now time.Time, to netip.AddrPort, b []byte) error

	// LocalAddr is the address that the wire is bound to, with the port really in use. A wire with several addresses has a
	// method LocalAddrs() []netip.AddrPort besides, for all of them.
	LocalAddr() netip.AddrPort

	// Close gives up the address. Datagrams not yet delivered are lost. Closing twice is harmless.
	Close() error
}

// Flusher is implemented by wires that collect what is sent and hand it on together. [Server.Poll] flushes its
// wire when it ends; whoever sends outside Poll calls [Server.Flush] after the last Send of a tick. Without
// that, what was sent waits for the next Poll, and nothing worse.
type Flusher interface {
	// Flush sends what Send collected. It never blocks. What cannot be sent is lost, and counted by the wire.
	Flush(now time.Time)
}

// ParallelWire is implemented by wires on which several goroutines may send at the same time, each by a [Sender] of its
// own: see [Server.Spread].
type ParallelWire interface {
	Wire
	// Senders makes n of them, at least 1; the first is for the goroutine that polls, too. It is called once, before
	// the first Poll.
	Senders(n int) []Sender
}

// Sender is how one of several goroutines sends on a [ParallelWire].
type Sender interface {
	// Send is [Wire.Send]. Where b begins at the beginning of the Room it needs no copy.
	Send(now time.Time, to netip.AddrPort, b []byte) error
	// Room is where the datagram that is sent next may be written: at least [MaxDatagram] bytes, until the next
	// Send or Flush.
	Room() []byte
	// Flush hands on what Send collected, if it did. Flush of the wire does so for all senders.
	Flush(now time.Time)
}

// oneSender is the sender of a wire that is no [ParallelWire].
type oneSender struct {
	Wire
	buf [MaxDatagram]byte
}

func (o *oneSender) Room() []byte        { return o.buf[:] }
func (o *oneSender) Flush(now time.Time) { flush(o.Wire, now) }

// Datagram is one arrival on a [Wire].
type Datagram struct {
	// From is the sender's address as the wire saw it, IPv4 never in its IPv6-mapped form.
	// It can be forged by anybody.
	From netip.AddrPort

	// At is the time of arrival, never after the now of the Poll that delivers it.
	At time.Time

	// Data is valid during the call that delivers it, at most [MaxDatagram]+1 bytes.
	Data []byte
}

// scheduled is implemented by wires that hold datagrams for later.
type scheduled interface {
	NextDue() (time.Time, bool)
}

// flush hands on what a wire collected, if it collects.
func flush(w Wire, now time.Time) {
	if f, ok := w.(Flusher); ok {
		f.Flush(now)
	}
}

// unmap turns IPv4-mapped IPv6 addresses into plain IPv4, so that one peer has one address.
func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
