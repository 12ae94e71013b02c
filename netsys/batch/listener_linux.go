package batch

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// Listener is a server's UDP socket that is read and written once a tick; it is a [netsys.Wire] and a
// [netsys.Flusher]. It has no goroutine and belongs to the one that polls it.
type Listener struct {
	fd    int // −1 when closed; Go's network poller does not know it
	v6    bool
	local netip.AddrPort
	limit int // batches per Poll

	in    *inbound
	out   *outbound
	zones zones
	clock clock
	stats Stats
}

var (
	_ netsys.Wire    = (*Listener)(nil)
	_ netsys.Flusher = (*Listener)(nil)
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
	return &Listener{
		fd:    s.fd,
		v6:    s.v6,
		local: s.local,
		limit: (orDefault(c.PollLimit, defaultPollLimit) + batchSize - 1) / batchSize,
		in:    newInbound(),
		out:   newOutbound(s.v6),
		stats: Stats{ReadBuffer: s.readBuffer, WriteBuffer: s.writeBuffer},
	}, nil
}

// Poll implements [netsys.Wire]; now must come from time.Now. It sends what was collected before, and again
// what deliver collected. An arrival between now and the end of the call is delivered as having come at now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if l.fd < 0 {
		return
	}
	l.Flush(now)
	l.clock.begin(now)
	for range l.limit {
		n := l.read()
		for i := range n {
			l.in.deliver(i, l, deliver)
		}
		if n < batchSize {
			l.clock.drained()
			break
		}
	}
	l.Flush(now)
}

// read receives one batch and returns how many datagrams it holds. Fewer than a batch mean that no more had
// arrived.
func (l *Listener) read() int {
	n, errno := l.in.receive(l.fd)
	l.stats.Reads++
	if errno != 0 && errno != unix.EAGAIN {
		l.stats.ReadErrors++
	}
	l.stats.Received += uint64(n)
	return n
}

// Send implements [netsys.Wire]. It copies b, which leaves with the next Flush or Poll, or with 63 others as
// soon as there are so many. What the kernel refuses then is counted in [Stats].
func (l *Listener) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	switch {
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	case l.fd < 0:
		return netsys.ErrClosed
	case !to.IsValid() || to.Port() == 0:
		return fmt.Errorf("batch: Send to %v: %w", to, unix.EDESTADDRREQ)
	case !l.v6 && !to.Addr().Unmap().Is4():
		return fmt.Errorf("batch: Send to %v: %w", to, unix.EAFNOSUPPORT)
	}
	if l.out.add(to, b, &l.zones) {
		l.out.flush(l.fd, &l.stats)
	}
	return nil
}

// Flush implements [netsys.Flusher].
func (l *Listener) Flush(time.Time) {
	if l.fd >= 0 {
		l.out.flush(l.fd, &l.stats)
	}
}

// LocalAddr implements [netsys.Wire].
func (l *Listener) LocalAddr() netip.AddrPort { return l.local }

// Stats counts what happened so far.
func (l *Listener) Stats() Stats { return l.stats }

// Dropped is the number of arrivals lost because the kernel's receive buffer was full; 0 after Close.
func (l *Listener) Dropped() uint64 { return dropped(l.fd) }

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
