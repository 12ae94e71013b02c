package batch

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// Listener is a UDP socket of a server, read and written once per tick. It is a [netsys.Wire] and a [netsys.Flusher]. It
// starts no goroutine; only the polling goroutine may use it.
type Listener struct {
	fd    int // −1 when closed; Go's network poller does not know the descriptor
	local netip.AddrPort
	limit int // batches per Poll
	v6    bool

	in    *mmsg.Reader
	out   mmsg.Senders // Send uses the first
	sizes [2]int       // of the kernel's receive and send buffer, in bytes
}

var (
	_ netsys.ParallelWire = (*Listener)(nil)
	_ netsys.Flusher      = (*Listener)(nil)
)

// Listen binds addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port, see
// [Listener.LocalAddr]). It returns an error for an invalid configuration or address, [netsys.ErrAddrInUse] if the address
// is in use, or an error of the operating system.
func (c ListenConfig) Listen(addr string) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s, err := openSocket(addr, orDefault(c.ReadBuffer, defaultKernelBuffer), orDefault(c.WriteBuffer, defaultKernelBuffer))
	if err != nil {
		return nil, err
	}
	l := &Listener{
		fd:    s.fd,
		local: s.local,
		limit: (orDefault(c.PollLimit, defaultPollLimit) + mmsg.BatchSize - 1) / mmsg.BatchSize,
		in:    mmsg.NewReader(),
		v6:    s.v6,
		sizes: [2]int{s.readBuffer, s.writeBuffer},
	}
	l.Senders(1)
	return l, nil
}

// Poll implements [netsys.Wire]; now must come from time.Now. It flushes before and after delivering. A datagram that
// arrives between now and the end of the call is delivered with the time now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if l.fd < 0 {
		return
	}
	l.Flush(now)
	l.in.Read(l.fd, now, l.limit, deliver)
	l.Flush(now)
}

// Send implements [netsys.Wire]. It copies b. The datagram leaves when 64 are collected, or at the next Flush or Poll.
// [Stats] counts datagrams that the kernel refuses.
func (l *Listener) Send(now time.Time, to netip.AddrPort, b []byte) error {
	return l.out[0].Send(now, to, b)
}

// Senders implements [netsys.ParallelWire]. Each sender has its own batches.
func (l *Listener) Senders(n int) []netsys.Sender {
	return l.out.Add(n, func() *mmsg.Sender { return mmsg.NewSender("batch", &l.fd, l.v6) })
}

// Flush implements [netsys.Flusher].
func (l *Listener) Flush(now time.Time) { l.out.Flush(now) }

// LocalAddr implements [netsys.Wire].
func (l *Listener) LocalAddr() netip.AddrPort { return l.local }

// Stats returns the current counters.
func (l *Listener) Stats() Stats {
	sent, writes, full, refused := l.out.Counts()
	return Stats{
		Received: l.in.Received, Reads: l.in.Calls, ReadErrors: l.in.Errors,
		Sent: sent, Writes: writes, Full: full, Refused: refused,
		ReadBuffer: l.sizes[0], WriteBuffer: l.sizes[1],
	}
}

// SendErrors returns the number of datagrams accepted by Send but not by the kernel: [Stats.Full] plus [Stats.Refused].
// Their sessions see them as lost.
func (l *Listener) SendErrors() uint64 {
	_, _, full, refused := l.out.Counts()
	return full + refused
}

// Dropped returns the number of arrivals lost because the kernel's receive buffer was full; 0 after Close.
func (l *Listener) Dropped() uint64 { return mmsg.Dropped(l.fd) }

// Close implements [netsys.Wire]. It flushes first.
func (l *Listener) Close() error {
	if l.fd < 0 {
		return nil
	}
	l.Flush(time.Time{})
	err := unix.Close(l.fd)
	l.fd = -1
	if err != nil {
		return fmt.Errorf("batch: Close: %w", err)
	}
	return nil
}

func orDefault(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}
