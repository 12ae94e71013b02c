package systems

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/relay"
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

// validStamped reports what does not go together with stamped inputs.
func (c ServerConfig) validStamped() error {
	if ticks := stampedEarly(c.Policies, c.TickRate); ticks > maxPeers {
		return fmt.Errorf("%w: Policies.Window %v is %d ticks; at most %d", ErrConfig, c.Policies.Window, ticks, maxPeers)
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

// relayConfig is what the relay of a server is told.
func relayConfig(c ServerConfig) relay.Config {
	peers := c.MaxClients
	if c.ReconnectWindow > 0 {
		peers *= 2 // those who are waited for play on
	}
	r := relay.Config{
		Timeline: peersTimeline(c.Policies, c.TickRate),
		Peers:    min(peers, maxPeers),
		Stall:    stallTicks(c),
	}
	r.Timeline.First, r.Timeline.Players = c.FirstTick, min(2*peers, maxPeers)
	r.Timeline.Join, r.Timeline.Leave = c.Join, departing(c.Leave, c.LeavePolicy)
	return r
}

// stallTicks is ServerConfig.Stall in ticks, rounded down: nobody waits for longer.
func stallTicks(c ServerConfig) int {
	return max(int(int64(c.Stall)*int64(c.TickRate)/int64(time.Second)), 1)
}

// followConfig is what the relay of a client is told.
func followConfig(c ClientConfig, p policy.Policies, tickRate int) relay.ClientConfig {
	r := relay.ClientConfig{Timeline: peersTimeline(p, tickRate), Delay: min(p.SuggestTicks(tickRate), 255)}
	r.Timeline.Window = min(r.Timeline.Window+tickRate, maxPeers) // the way from the server here
	if r.Timeline.Wait {
		r.Timeline.Window = 2 * tickRate
	}
	r.MaxDelay = min(max(tickRate, r.Delay), 255)
	r.Timeline.Players = maxPeers
	r.Timeline.Join, r.Timeline.Leave = c.Join, departing(c.Leave, c.LeavePolicy)
	return r
}
