package trial

import (
	"time"

	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// The time that a match runs before it is measured. Input buffers and clocks look back ten seconds. They are settled after
// warmup on bad links, and after exactWarmup on exact links.
const (
	warmup      = 14 * time.Second
	exactWarmup = 10 * time.Second
)

// exact returns a link on which a packet sent after tick t is received in tick t + ticks. The latency is half a tick
// shorter, so that the result does not depend on the phase of the peers' ticks.
func exact(ticks int) netsys.Link {
	return netsys.Link{Latency: time.Duration(ticks)*step - step/2}
}

func exacts(latencies []int) (links []netsys.Link) {
	for _, l := range latencies {
		links = append(links, exact(l))
	}
	return links
}

// isolated counts the ticks that are simulated again after one change of each player's input. Each player presses a key in
// one tick. Players with different latencies press in the same tick. Players with the same latency press after the effects
// of each other's press have ended, because one pass would serve both. The result is the median over isolatedRounds: a
// round differs if the clock of a client moves to another tick of the server.
func isolated(o Options, model policy.Model) (Peers, error) {
	changes := make([]time.Time, len(o.Latencies))
	m, err := newMatch(setup{
		model: model, seed: o.Seed, links: exacts(o.Latencies), rules: world.Rules{Apart: true},
		play: func(n int, now moment) world.Input {
			since := now.Sub(changes[n])
			return world.Input{Fire: !changes[n].IsZero() && since >= 0 && since < step}
		},
	})
	if err != nil {
		return Peers{}, err
	}
	if err := m.warmUp(exactWarmup); err != nil {
		return Peers{}, err
	}
	gap := settlingTicks(o.Latencies)
	var rounds []Peers
	for range isolatedRounds {
		before, start, same, most := m.counts(), m.Server.Next().Add(-step/2), map[int]int{}, 0
		for n, l := range o.Latencies {
			changes[n] = start.Add(time.Duration(same[l]*gap) * step)
			same[l]++
			most = max(most, same[l])
		}
		if err := m.runTicks(most*gap + 7); err != nil {
			return Peers{}, err
		}
		rounds = append(rounds, m.since(before))
	}
	return medians(rounds), nil
}

// isolatedRounds is the number of rounds in isolated, steadyTicks the number of ticks in steady.
const (
	isolatedRounds = 7
	steadyTicks    = 240
)

// restless returns inputs that change in every tick.
func restless(players int) func(n int, now moment) world.Input {
	gathered := make([]int, players)
	return func(n int, now moment) world.Input {
		if gathered[n]++; now.Before(epoch.Add(exactWarmup)) {
			return world.Input{}
		}
		return world.Input{DX: int8(gathered[n]%3) - 1}
	}
}

// busy returns a match in which all inputs change in every tick, ready to be measured.
func busy(o Options, model policy.Model) (*match, error) {
	m, err := newMatch(setup{
		model: model, seed: o.Seed, links: exacts(o.Latencies), rules: world.Rules{Apart: true}, play: restless(len(o.Latencies)),
	})
	if err == nil {
		err = m.warmUp(exactWarmup)
	}
	if err == nil {
		err = m.runTicks(settlingTicks([]int{MaxLatency}))
	}
	return m, err
}

// steady counts the ticks that are simulated again in the median tick if all inputs change in every tick.
func steady(o Options, model policy.Model) (Peers, error) {
	m, err := busy(o, model)
	if err != nil {
		return Peers{}, err
	}
	var ticks []Peers
	for range steadyTicks {
		before := m.counts()
		if err := m.runTicks(1); err != nil {
			return Peers{}, err
		}
		ticks = append(ticks, m.since(before))
	}
	return medians(ticks), nil
}

// settlingTicks returns the number of ticks after which a change has affected all peers.
func settlingTicks(latencies []int) int {
	longest := 0
	for _, l := range latencies {
		longest = max(longest, l)
	}
	return 4*longest + 20
}
