package eventloop

import (
	"time"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// setBuffers requests buffer sizes, beyond the system's limit if this process is allowed to.
func setBuffers(fd, read, write int) {
	mmsg.ReadBuffer(fd, read)
	mmsg.WriteBuffer(fd, write)
}

// udpSenders are senders that send many datagrams in one system call.
type udpSenders struct{ all mmsg.Senders }

func (c *udpSenders) add(l *Listener, n int) []netsys.Sender {
	return c.all.Add(n, func() *mmsg.Sender { return mmsg.NewSender("eventloop", &l.fd, l.out.V6) })
}

func (c *udpSenders) flush(now time.Time) { c.all.Flush(now) }

// errors returns the number of datagrams that a sender accepted and the kernel did not.
func (c *udpSenders) errors() uint64 {
	_, _, full, refused := c.all.Counts()
	return full + refused
}
