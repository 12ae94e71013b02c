package sessions

import "github.com/tactusgo/tactus/netsys/channel"

// Delivered is how many messages of channels an honest client can have delivered in
// one wake-up: twice what its queues hold.
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
