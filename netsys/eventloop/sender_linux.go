package eventloop

import (
	"time"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// setBuffers asks for buffers, beyond the system's limit if this process may.
func setBuffers(fd, read, write int) {
	mmsg.ReadBuffer(fd, read)
	mmsg.WriteBuffer(fd, write)
}

// collecting are senders that send many datagrams in one system call.
type collecting struct{ all mmsg.Senders }

func (c *collecting) senders(l *Listener, n int) []netsys.Sender {
	return c.all.Add(n, func() *mmsg.Sender { return mmsg.NewSender("eventloop", &l.fd, l.out.V6) })
}

func (c *collecting) flush(now time.Time) { c.all.Flush(now) }

// errors is how many datagrams were collected and not sent.
func (c *collecting) errors() uint64 {
	_, _, full, refused := c.all.Counts()
	return full + refused
}
