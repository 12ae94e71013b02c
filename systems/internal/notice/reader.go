package notice

import (
	"fmt"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Reader reads notices on the client. The zero value is ready to use.
type Reader struct {
	messages wire.NoticeReader
	received uint32 // number of the last notice
}

// Read processes a packet of notices. It calls process once for each notice.
func (x *Reader) Read(b []byte, process func(n *wire.Notice) error) error {
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
			if err := process(&r.Notices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
