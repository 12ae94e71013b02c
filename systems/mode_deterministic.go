package systems

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

// maxPeers bounds clients where each of them simulates everything.
const maxPeers = 4096

// validPeers reports what does not go together with simulating everything everywhere.
func (c ServerConfig) validPeers() error {
	number, _ := deterministic.BulkChannel(c.Channels)
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
			ErrConfig, c.Policies.Correction, deterministic.LeastMessage)
	}
	return nil
}

// peersTimeline is what the timelines of all peers have in common.
func peersTimeline(p policy.Policies, tickRate int) timeline.Config {
	return timeline.Config{Window: p.WindowTicks(tickRate), Wait: p.Missing == policy.MissingWait}
}

// departing carries out that a player is gone for good.
func departing(leave func(*ecs.World, uint32), then LeavePolicy) func(*ecs.World, uint32) {
	return func(w *ecs.World, player uint32) {
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
	return 1 + int(clock.Reserve(st.LossOut)) + int(2*st.Jitter/step)
}
