package systems

import "github.com/tactusgo/tactus/ecs"

// rewindClient stamps each input with the tick in which it applies, here too: that is its
// sequence. The client's ticks are the server's, ahead of it by what inputs are under way.
type rewindClient struct {
	forwardClient
	delay    uint32 // ticks from gathering an input to applying it (rule B1)
	early    uint32 // how far ahead of it the server takes inputs
	started  bool
	catching bool // it makes up for ticks that it is behind
	holding  bool // it lets ticks pass that it is ahead
	idle     bool // in this one
	seen     uint32
}

func newRewindClient(c *Client) *rewindClient {
	rate := c.world.TickRate()
	return &rewindClient{
		forwardClient: forwardClient{c},
		delay:         uint32(c.policies.SuggestTicks(rate)),
		early:         uint32(stampedEarly(c.policies, rate)),
	}
}

const (
	// firstTrip is how many ticks a round trip is believed to take before it is measured.
	firstTrip = 6
	// firstLead is by how many ticks a client leads at first, beside the round trip.
	firstLead = 2
	// makeUp is how many ticks a client makes up for in one wake-up.
	makeUp = 8
)

// trip is the round trip in ticks.
func (m *rewindClient) trip() uint32 {
	if rtt := m.session.Stats().RTT; rtt > 0 {
		return uint32((rtt + m.world.StepDuration() - 1) / m.world.StepDuration())
	}
	return firstTrip
}

// start begins with the tick that the server will have reached when an input gets there.
func (m *rewindClient) start() {
	m.started = true
	m.log.jump(m.newestTick + m.trip() + firstLead)
	m.ackedInput = m.log.newest
	m.fill(m.log.newest + m.delay)
}

// fill puts neutral inputs into the log up to a tick.
func (m *rewindClient) fill(tick uint32) {
	for m.log.newest < tick {
		m.log.push()
		m.log.seal()
	}
}

// confirm also sees when the server has stood still: inputs for ticks that it does not
// take yet are void.
func (m *rewindClient) confirm() {
	m.forwardClient.confirm()
	if !m.started || m.newestTick <= m.seen {
		return
	}
	m.seen = m.newestTick
	if m.log.newest > m.newestTick+m.early+m.trip() {
		m.log.back(m.newestTick + m.early)
		m.stats.Jumps++
		m.adopt = true
	}
}

// reconcile compares with the newest tick that was predicted: later inputs are not applied
// yet.
func (m *rewindClient) reconcile(w *ecs.World) {
	if !m.started {
		return
	}
	gathered := m.log.newest
	reached := gathered - m.delay
	m.log.newest = reached
	m.Client.reconcile(w)
	now := m.log.newest
	m.log.newest = max(gathered, now)
	m.fill(now + m.delay)
}

func (m *rewindClient) gather(w *ecs.World) {
	if !m.started {
		m.start()
	}
	if m.idle = m.hold(); !m.idle {
		m.Client.gather(w)
	}
}

func (m *rewindClient) predict(w *ecs.World) {
	if !m.idle {
		m.simulate(w, m.input())
	}
}

func (m *rewindClient) input() uint32 {
	if !m.started {
		return 0
	}
	return m.log.newest - m.delay
}

// hold lets a tick pass when the client is far ahead.
func (m *rewindClient) hold() bool {
	left := m.steer.left()
	m.holding = left <= -float64(m.world.TickRate())/4 || m.holding && left <= -1
	if m.holding {
		m.steer.done--
	}
	return m.holding
}

// behind makes up for ticks when the client is far behind.
func (m *rewindClient) behind(more int) bool {
	left := m.steer.left()
	m.catching = left >= float64(m.world.TickRate())/10 || m.catching && left >= 1
	if !m.catching || more >= makeUp {
		return false
	}
	m.steer.done++
	return true
}

func (m *rewindClient) rate() float64 {
	if m.holding || m.catching {
		return 1
	}
	return m.steer.rate()
}
