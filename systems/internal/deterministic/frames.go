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

// Kind is the first byte of each datagram in both directions. A message of package relay follows. Reliable messages
// of package relay use a bulk channel and start with messagePrefix.
const Kind = 3

// messagePrefix is an invalid message type, read from the first bytes, so that no message of the game starts with
// it.
var messagePrefix = []byte{0xff, 0xff, 0x7f}

// limit is the maximum size of a message of package relay in a datagram, in bytes.
const limit = netsys.MaxPayload - 1

// BulkChannel returns the number of the channel for reliable messages of package relay and its maximum message size
// in bytes. It is the channel named "bulk", or otherwise the reliable ordered channel with the lowest priority.
// number is -1 if there is none.
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

// LeastMessage is the minimum that the channel's MaxMessage must allow, in bytes.
const LeastMessage = 1<<10 + 3

// maxPart is the maximum size of a part of a state, in bytes.
const maxPart = 256 << 10

// partSize returns the size of the parts of a state if messages may have up to longest bytes.
func partSize(longest int) int { return min(longest-len(messagePrefix), maxPart) }

// ParseMessage removes the prefix from a message of a channel. It returns false if the message belongs to another
// receiver.
func ParseMessage(message []byte) ([]byte, bool) { return bytes.CutPrefix(message, messagePrefix) }

// AppendMessage appends the prefix and the message to dst.
func AppendMessage(dst, message []byte) []byte {
	return append(append(dst, messagePrefix...), message...)
}

// ParseDatagram removes the first byte from a datagram.
func ParseDatagram(b []byte) ([]byte, error) {
	if len(b) == 0 || b[0] != Kind {
		return nil, fmt.Errorf("%w: %d bytes are not a message of relayed inputs", wire.ErrMessage, len(b))
	}
	return b[1:], nil
}

// repeats returns in how many consecutive messages each input is sent over a path: one, plus the buffer reserve for
// its loss, plus the number of messages that jitter can reorder, because a message that was overtaken does not
// count.
func repeats(st netsys.Stats, step time.Duration) int {
	return 1 + int(clock.Reserve(st.LossOut)) + int(2*st.Jitter/step)
}
