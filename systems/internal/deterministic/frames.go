package deterministic

import (
	"bytes"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Kind begins each datagram: of either end it is one of package relay, behind a byte that says so, and its
// reliable messages go on a channel for bulk, behind mark.
const Kind = 3

// mark is what no type of messages is numbered, as its first bytes are read.
var mark = []byte{0xff, 0xff, 0x7f}

// limit is how long a message of package relay may be in a datagram.
const limit = netsys.MaxPayload - 1

// BulkChannel is the channel for reliable messages of package relay: the one called
// "bulk", or else the ordered one of the lowest priority; and how long a message may be. It
// is −1 where there is none.
func BulkChannel(c channel.Config) (number, longest int) {
	channels := c.Channels
	if channels == nil {
		channels = channel.DefaultChannels()
	}
	number = -1
	for i := range channels {
		x := &channels[i]
		switch {
		case x.Kind != channel.ReliableOrdered || x.MaxMessage != 0 && x.MaxMessage < LeastMessage:
			continue
		case number >= 0 && x.Name != "bulk" && (channels[number].Name == "bulk" || x.Priority >= channels[number].Priority):
			continue
		}
		number, longest = i, x.MaxMessage
	}
	if number >= 0 && longest == 0 {
		longest = 64 << 10
	}
	return number, longest
}

// LeastMessage is how long the messages of the channel may be at least.
const LeastMessage = 1<<10 + 3

// mostPart is how many bytes of a state are sent at once.
const mostPart = 256 << 10

// part is how many bytes of a state go into a message of up to longest bytes.
func part(longest int) int { return min(longest-len(mark), mostPart) }

// Message takes the mark off a message of a channel; it reports false for one that is
// somebody else's.
func Message(message []byte) ([]byte, bool) { return bytes.CutPrefix(message, mark) }

// AppendMessage puts the mark before a message.
func AppendMessage(dst, message []byte) []byte { return append(append(dst, mark...), message...) }

// Datagram takes the first byte off a datagram.
func Datagram(b []byte) ([]byte, error) {
	if len(b) == 0 || b[0] != Kind {
		return nil, fmt.Errorf("%w: %d bytes that are no relayed inputs", wire.ErrMessage, len(b))
	}
	return b[1:], nil
}

// repeats is in how many messages in a row each input is told over a path: one more than the reserve of a buffer for
// its losses, and as many as its jitter lets overtake each other, of which the first to arrive counts.
func repeats(st netsys.Stats, step time.Duration) int {
	return 1 + int(clock.Reserve(st.LossOut)) + int(2*st.Jitter/step)
}
