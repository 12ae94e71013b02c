package trial

import (
	"time"

	"github.com/tactusgo/tactus/examples/compare/yard"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// warmup is for how long matches run before anything counts: buffers and clocks are settled then, and the ten seconds
// that they look back on hold nothing of the beginning.
const warmup = 14 * time.Second

// exact is a link on which what is sent after tick t is seen in tick t + ticks: half a tick less than that, so that it
// does not count at which moment of a tick a peer looks.
func exact(ticks int) netsys.Link {
	return netsys.Link{Latency: time.Duration(ticks)*step - step/2}
}

func exacts(latencies []int) (links []netsys.Link) {
	for _, l := range latencies {
		links = append(links, exact(l))
	}
	return links
}

// isolated counts what one change of each player's input costs: all in the same tick, but that of a player whose
// latency another one has too, which comes when that of the other has been dealt with, so that no pass serves two.
func isolated(o Options, model policy.Policies) (Peers, error) {
	longest, apart := 0, map[int]int{}
	for _, l := range o.Latencies {
		longest = max(longest, l)
		apart[l]++
	}
	gap, most := 4*longest+20, 0
	changes := make([]time.Time, len(o.Latencies))
	m, err := open(setup{
		model: model, seed: o.Seed, links: exacts(o.Latencies), rules: yard.Rules{Apart: true},
		play: func(n int, now time.Time) yard.Input {
			if at := changes[n]; at.IsZero() || now.Before(at) {
				return yard.Input{DX: 1}
			}
			return yard.Input{DY: 1}
		},
	})
	if err != nil {
		return Peers{}, err
	}
	if err := m.begin(warmup); err != nil {
		return Peers{}, err
	}
	before, start := m.counts(), m.next().Add(-step/2)
	for n, l := range o.Latencies {
		apart[l]--
		most = max(most, apart[l])
		changes[n] = start.Add(time.Duration(apart[l]*gap) * step)
	}
	err = m.pass((most + 1) * gap)
	return since(m, before), err
}

// restless changes every player's input in every tick.
func restless(players int) func(n int, now time.Time) yard.Input {
	gathered := make([]int, players)
	return func(n int, now time.Time) yard.Input {
		if gathered[n]++; now.Before(epoch.Add(warmup)) {
			return yard.Input{DX: 1}
		}
		return yard.Input{DX: int8(gathered[n]%3) - 1}
	}
}

// steady counts what it costs that all inputs change in every tick, for each tick.
func steady(o Options, model policy.Policies, rules yard.Rules, ticks int) (Peers, error) {
	rules.Apart = true
	m, err := open(setup{
		model: model, seed: o.Seed, links: exacts(o.Latencies), rules: rules, play: restless(len(o.Latencies)),
	})
	if err != nil {
		return Peers{}, err
	}
	if err := m.begin(warmup); err != nil {
		return Peers{}, err
	}
	if err := m.pass(settle(o.Latencies)); err != nil {
		return Peers{}, err
	}
	before := m.counts()
	err = m.pass(ticks)
	return perTick(m, before), err
}

// settle is how many ticks it takes until everybody has felt what changed.
func settle(latencies []int) int {
	longest := 0
	for _, l := range latencies {
		longest = max(longest, l)
	}
	return 4*longest + 20
}
