package notice

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Reader reads notices on the client.
type Reader struct {
	messages wire.NoticeReader
	received uint32 // number of the last notice
}

// NewReader returns a reader. components are the client-owned components of the protocol.
func NewReader(components []*ecs.Component) Reader {
	return Reader{messages: wire.NoticeReader{Components: components}}
}

// Read processes a packet of notices. It calls process once for each notice, with the server's value of a refused
// change.
func (x *Reader) Read(b []byte, process func(n *wire.Notice, value []int32) error) error {
	r := &x.messages
	if err := r.Read(b); err != nil {
		return err
	}
	if r.First > x.received+1 {
		return fmt.Errorf("%w: notices from %d on after %d", wire.ErrMessage, r.First, x.received)
	}
	for i := range r.Notices {
		if number := r.First + uint32(i); number > x.received {
			x.received = number
			n := &r.Notices[i]
			var value []int32
			if n.Kind == wire.NoticeChange {
				value = r.Value(n)
			}
			if err := process(n, value); err != nil {
				return err
			}
		}
	}
	return nil
}
