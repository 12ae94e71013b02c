package notice

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Reader is the client's end.
type Reader struct {
	messages wire.NoticeReader
	received uint32 // number of the last notice
}

// NewReader makes one. Notices may be about values of the components that clients write.
func NewReader(components []*ecs.Component) Reader {
	return Reader{messages: wire.NoticeReader{Components: components}}
}

// Take takes in a packet of notices. Each is heeded once, a refused change with the
// value that stands.
func (x *Reader) Take(b []byte, heed func(n *wire.Notice, value []int32) error) error {
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
			if err := heed(n, value); err != nil {
				return err
			}
		}
	}
	return nil
}
