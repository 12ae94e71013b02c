package mmsg

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Sender is a [netsys.Sender] that collects datagrams for one socket.
type Sender struct {
	*Writer
	name string   // prefix of errors
	fd   *int     // negative: closed
	_    [64]byte // keeps the counters of two goroutines in different cache lines
}

// NewSender returns a sender for an IPv6 (v6) or IPv4 socket. *fd may change; a negative value means closed. name is the
// prefix of errors.
func NewSender(name string, fd *int, v6 bool) *Sender {
	return &Sender{Writer: NewWriter(v6), name: name, fd: fd}
}

// Send implements [netsys.Sender]. Datagrams that the kernel refuses later are counted in Full and Refused.
func (s *Sender) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if len(b) > netsys.MaxDatagram {
		return netsys.ErrTooLarge
	}
	if *s.fd < 0 {
		return netsys.ErrClosed
	}
	if err := s.Add(*s.fd, to, b); err != nil {
		return fmt.Errorf("%s: Send to %v: %w", s.name, to, err)
	}
	return nil
}

// Flush implements [netsys.Sender].
func (s *Sender) Flush(time.Time) {
	if *s.fd >= 0 {
		s.Writer.Flush(*s.fd)
	}
}

// Senders are the senders of one socket.
type Senders []*Sender

// Add returns the first n senders. It calls make for missing ones.
func (s *Senders) Add(n int, make func() *Sender) []netsys.Sender {
	for len(*s) < n {
		*s = append(*s, make())
	}
	all := []netsys.Sender(nil)
	for _, x := range (*s)[:n] {
		all = append(all, x)
	}
	return all
}

// Flush flushes all senders.
func (s Senders) Flush(now time.Time) {
	for _, x := range s {
		x.Flush(now)
	}
}

// Counts returns the counters summed over all senders.
func (s Senders) Counts() (sent, calls, full, refused uint64) {
	for _, x := range s {
		sent, calls, full, refused = sent+x.Sent, calls+x.Calls, full+x.Full, refused+x.Refused
	}
	return sent, calls, full, refused
}
