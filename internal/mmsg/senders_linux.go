package mmsg

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Sender is a [netsys.Sender] of a socket that collects what it sends.
type Sender struct {
	*Writer
	name string   // of who sends, for errors
	fd   *int     // below 0: closed
	_    [64]byte // so that what two goroutines count lies apart
}

// NewSender returns a sender for a socket of IPv6, or of IPv4, whose descriptor may change until it is below 0. name
// begins its errors.
func NewSender(name string, fd *int, v6 bool) *Sender {
	return &Sender{Writer: NewWriter(v6), name: name, fd: fd}
}

// Send implements [netsys.Sender]. What the kernel refuses later is counted in Full and Refused.
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

// Senders are those of one socket.
type Senders []*Sender

// Add returns n of them as a wire needs them: those that there are, and new ones.
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

// Flush flushes all.
func (s Senders) Flush(now time.Time) {
	for _, x := range s {
		x.Flush(now)
	}
}

// Counts are what all did.
func (s Senders) Counts() (sent, calls, full, refused uint64) {
	for _, x := range s {
		sent, calls, full, refused = sent+x.Sent, calls+x.Calls, full+x.Full, refused+x.Refused
	}
	return sent, calls, full, refused
}
