package trial

import (
	"time"

	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// For how long matches run before anything counts. On bad links buffers and clocks are settled after warmup, and the ten
// seconds that they look back on hold nothing of the beginning; on exact ones after exactWarmup.
const (
	warmup      = 14 * time.Second
	exactWarmup = 10 * time.Second
)

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

// isolated counts what one change of each player's input costs. It is a press in one tick, the same for all, but for a
// player whose latency another one has too: that comes when what the other did has been dealt with, so that no pass serves
// two. A press, because what is held is no longer believed to be held when an input is very late. It is the median of some
// rounds: in one of many a client's clock may just pass from one tick of the server's to another.
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
	if err := m.begin(exactWarmup); err != nil {
		return Peers{}, err
	}
	gap := settle(o.Latencies)
	var rounds []Peers
	for range isolatedRounds {
		before, start, same, most := m.counts(), m.Server.Next().Add(-step/2), map[int]int{}, 0
		for n, l := range o.Latencies {
			changes[n] = start.Add(time.Duration(same[l]*gap) * step)
			same[l]++
			most = max(most, same[l])
		}
		if err := m.pass(most*gap + 7); err != nil {
			return Peers{}, err
		}
		rounds = append(rounds, m.since(before))
	}
	return medians(rounds), nil
}

// isolatedRounds is how often each player's input changes once, steadyTicks for how many ticks all change all the time.
const (
	isolatedRounds = 7
	steadyTicks    = 240
)

// restless changes every player's input in every tick.
func restless(players int) func(n int, now moment) world.Input {
	gathered := make([]int, players)
	return func(n int, now moment) world.Input {
		if gathered[n]++; now.Before(epoch.Add(exactWarmup)) {
			return world.Input{}
		}
		return world.Input{DX: int8(gathered[n]%3) - 1}
	}
}

// busy is a match in which all inputs change all the time, ready to be counted.
func busy(o Options, model policy.Model, rules world.Rules) (*match, error) {
	rules.Apart = true
	m, err := newMatch(setup{
		model: model, seed: o.Seed, links: exacts(o.Latencies), rules: rules, play: restless(len(o.Latencies)),
	})
	if err == nil {
		err = m.begin(exactWarmup)
	}
	if err == nil {
		err = m.ready()
	}
	return m, err
}

// steady counts what it costs that all inputs change in every tick: in the median tick.
func steady(o Options, model policy.Model) (Peers, error) {
	m, err := busy(o, model, world.Rules{})
	if err != nil {
		return Peers{}, err
	}
	var ticks []Peers
	for range steadyTicks {
		before := m.counts()
		if err := m.pass(1); err != nil {
			return Peers{}, err
		}
		ticks = append(ticks, m.since(before))
	}
	return medians(ticks), nil
}

// settle is how many ticks it takes until everybody has felt what changed.
func settle(latencies []int) int {
	longest := 0
	for _, l := range latencies {
		longest = max(longest, l)
	}
	return 4*longest + 20
}

// ready lets pass what it takes until everybody has felt that inputs change, and then until no gust is on its way: in 38
// ticks after a full second they are over, and come again in the last 16.
func (m *match) ready() error {
	const over = 38
	ticks := settle([]int{MaxLatency})
	then := int(m.Server.Tick()) + ticks
	return m.pass(ticks + (gustEvery+over-then%gustEvery)%gustEvery)
}
