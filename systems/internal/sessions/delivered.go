package sessions

import "github.com/tactusgo/tactus/netsys/channel"

// Delivered returns the maximum number of channel messages that a correct client can have delivered in one wake-up:
// twice the capacity of its queues.
func Delivered(c channel.Config) (n int) {
	channels := c.Channels
	if channels == nil {
		channels = channel.DefaultChannels()
	}
	for _, x := range channels {
		if x.Queue == 0 {
			x.Queue = 256
		}
		n += 2 * x.Queue
	}
	return n
}
