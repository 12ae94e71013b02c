package batch

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// Listener is a server's UDP socket that is read and written once a tick; it is a [netsys.Wire] and a
// [netsys.Flusher]. It has no goroutine and belongs to the one that polls it.
type Listener struct {
	fd    int // −1 when closed; Go's network poller does not know it
	local netip.AddrPort
	limit int // batches per Poll
	v6    bool

	in    *mmsg.Reader
	out   mmsg.Senders // the first is for Send
	sizes [2]int       // of the kernel's buffers, in bytes: reading, writing
}

var (
	_ netsys.ParallelWire = (*Listener)(nil)
	_ netsys.Flusher      = (*Listener)(nil)
)

// Listen binds addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port, see
// [Listener.LocalAddr]). Errors are those of [ListenConfig.Validate], of the address, [netsys.ErrAddrInUse]
// when another socket holds the address, or the operating system's.
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

// Poll implements [netsys.Wire]; now must come from time.Now. It sends what was collected before, and again
// what deliver collected. An arrival between now and the end of the call is delivered as having come at now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if l.fd < 0 {
		return
	}
	l.Flush(now)
	l.in.Read(l.fd, now, l.limit, deliver)
	l.Flush(now)
}

// Send implements [netsys.Wire]. It copies b, which leaves with the next Flush or Poll, or with 63 others as
// soon as there are so many. What the kernel refuses then is counted in [Stats].
func (l *Listener) Send(now time.Time, to netip.AddrPort, b []byte) error {
	return l.out[0].Send(now, to, b)
}

// Senders implements [netsys.ParallelWire]: each sends batches of its own.
func (l *Listener) Senders(n int) []netsys.Sender {
	return l.out.Add(n, func() *mmsg.Sender { return mmsg.NewSender("batch", &l.fd, l.v6) })
}

// Flush implements [netsys.Flusher].
func (l *Listener) Flush(now time.Time) { l.out.Flush(now) }

// LocalAddr implements [netsys.Wire].
func (l *Listener) LocalAddr() netip.AddrPort { return l.local }

// Stats counts what happened so far.
func (l *Listener) Stats() Stats {
	sent, writes, full, refused := l.out.Counts()
	return Stats{
		Received: l.in.Received, Reads: l.in.Calls, ReadErrors: l.in.Errors,
		Sent: sent, Writes: writes, Full: full, Refused: refused,
		ReadBuffer: l.sizes[0], WriteBuffer: l.sizes[1],
	}
}

// SendErrors is the number of datagrams that Send took and the kernel did not: [Stats.Full] and [Stats.Refused]. The
// sessions that they were of learn it as loss.
func (l *Listener) SendErrors() uint64 {
	_, _, full, refused := l.out.Counts()
	return full + refused
}

// Dropped is the number of arrivals lost because the kernel's receive buffer was full; 0 after Close.
func (l *Listener) Dropped() uint64 { return mmsg.Dropped(l.fd) }

// Close implements [netsys.Wire]. It sends what was collected.
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
