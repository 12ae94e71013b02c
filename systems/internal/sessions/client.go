package sessions

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
)

// Client is a client that is here.
type Client struct {
	ID      uint32
	Session netsys.Session
	Notices notice.Queue
	Logged  notice.Once // what was logged of it

	// Malformed counts messages that no honest client sends, Flooded those that were not read.
	Malformed int
	Flooded   uint64

	messages  int // read in this wake-up
	delivered int // likewise, of channels

	unacked bool          // something was sent since the last acknowledgement
	silence time.Duration // for which that has been so
	deaf    bool          // too long
}

// Acked notes that the client acknowledged something.
func (c *Client) Acked() { c.unacked, c.silence = false, 0 }
