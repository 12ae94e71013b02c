package systems

import (
	"bytes"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

// Under rollback and lockstep each datagram of either end is one of package relay,
// behind a byte that says so, and its reliable messages go on a channel for bulk, behind
// peersMark.
const kindPeers = 3

// peersMark is what no type of messages is numbered, as its first bytes are read.
var peersMark = []byte{0xff, 0xff, 0x7f}

// peersLimit is how long a message of package relay may be in a datagram.
const peersLimit = netsys.MaxPayload - 1

// maxPeers bounds clients where each of them simulates everything.
const maxPeers = 4096

// everywhere reports whether every peer simulates everything.
func everywhere(p policy.Policies) bool { return p.Correction == policy.CorrectionInputs }

// bulkChannel is the channel for reliable messages of package relay: the one called
// "bulk", or else the ordered one of the lowest priority; and how long a message may be. It
// is −1 where there is none.
func bulkChannel(c channel.Config) (number, longest int) {
	channels := c.Channels
	if channels == nil {
		channels = channel.DefaultChannels()
	}
	number = -1
	for i := range channels {
		x := &channels[i]
		switch {
		case x.Kind != channel.ReliableOrdered || x.MaxMessage != 0 && x.MaxMessage < leastPart+len(peersMark):
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

const (
	leastPart = 1 << 10   // bytes of a reliable message, the least that package relay takes
	mostPart  = 256 << 10 // and as many as are sent at once
)

// validPeers reports what does not go together with simulating everything everywhere.
func (c ServerConfig) validPeers() error {
	number, _ := bulkChannel(c.Channels)
	window := c.Policies.WindowTicks(c.TickRate)
	switch {
	case c.Visible != nil:
		return fmt.Errorf("%w: Visible with %v: every client simulates everything, so nothing can be hidden from it; leave it nil", ErrConfig, c.Policies.Correction)
	case c.Record != nil:
		return fmt.Errorf("%w: Record with %v: no state is sent, so there is nothing to learn from; leave it nil", ErrConfig, c.Policies.Correction)
	case c.MaxClients > maxPeers:
		return fmt.Errorf("%w: MaxClients %d with %v: at most %d", ErrConfig, c.MaxClients, c.Policies.Correction, maxPeers)
	case window > maxPeers:
		return fmt.Errorf("%w: Policies.Window %v is %d ticks; at most %d", ErrConfig, c.Policies.Window, window, maxPeers)
	case number < 0:
		return fmt.Errorf("%w: Channels with %v: the state for who joins late needs a reliable and ordered channel with a MaxMessage of %d bytes or more, preferably called \"bulk\"",
			ErrConfig, c.Policies.Correction, leastPart+len(peersMark))
	}
	return nil
}

// peersTimeline is what the timelines of all peers have in common.
func peersTimeline(p policy.Policies, tickRate int) timeline.Config {
	return timeline.Config{Window: p.WindowTicks(tickRate), Wait: p.Missing == policy.MissingWait}
}

// peersRoster sets what happens on every peer in the ticks in which players come and
// go.
func peersRoster(t *timeline.Config, join, leave func(*ecs.World, uint32), then LeavePolicy) {
	t.Join = join
	t.Leave = func(w *ecs.World, player uint32) {
		if leave != nil {
			leave(w, player)
		}
		if then == DespawnOwned {
			despawnOwned(w, player)
		}
		w.Netcode().ForgetInputs(player)
	}
}

// peersRepeats is in how many messages in a row each input is told over a path: one more than the reserve of a buffer for
// its losses, and as many as its jitter lets overtake each other, of which the first to arrive counts.
func peersRepeats(st netsys.Stats, step time.Duration) int {
	return 1 + int(reserve(st.LossOut)) + int(2*st.Jitter/step)
}

// peersMessage takes the mark off a message of a channel; it reports false for one that is
// somebody else's.
func peersMessage(message []byte) ([]byte, bool) { return bytes.CutPrefix(message, peersMark) }

// peersDatagram takes the first byte off a datagram.
func peersDatagram(b []byte) ([]byte, error) {
	if len(b) == 0 || b[0] != kindPeers {
		return nil, fmt.Errorf("%w: %d bytes that are no relayed inputs", ErrMessage, len(b))
	}
	return b[1:], nil
}
