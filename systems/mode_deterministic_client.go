package systems

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
)

// deterministicClient simulates everything from the inputs of all players: under rollback at
// the server's tick, by guesses until they come; under lockstep when they have come, and at the
// same time as everybody, so that nobody answers earlier than others to what it sees.
type deterministicClient struct {
	c        *Client
	relay    *relay.Client
	channel  int
	clock    clock.Server
	view     *interpolate.Present
	states   uint64      // that have come
	arrived  bool        // what was told since the last one is simulated
	ticks    clock.Ticks // since the client was let in
	heard    uint32      // the server's time in the newest message
	heardAt  float64     // frame in which that came
	neutral  []int32
	words    []int32 // gathered for the coming tick
	shown    []int32 // the input of a frame
	ask      func() []int32
	held     bool // no tick in this frame: the client is far ahead, or may be
	stepped  bool // the last tick that was due has been simulated
	advanced bool // since the last frame drawn
	packet   []byte
}

// catchUp is how many ticks more than are due a client simulates in a frame that is
// behind, mostAtOnce in one that goes on from a state that has just come, as far as the server has told.
const (
	catchUp    = 8
	mostAtOnce = 60
)

// snapAway is how many seconds away from where it should be a client no longer slews.
const snapAway = 0.2

// silence is for how many seconds, and leastSilence for how many ticks at least, a client goes on that hears nothing.
const (
	silence      = 0.5
	leastSilence = 10
)

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

func newDeterministicClient(c *Client, r relay.ClientConfig) *deterministicClient {
	m := &deterministicClient{c: c, ticks: clock.Ticks{Start: c.steps.now, Step: c.world.StepDuration()}}
	m.channel, _ = deterministic.BulkChannel(c.config.Channels)
	if m.channel < 0 {
		c.fail(fmt.Errorf("%w: Channels: none can bring the state of the world; see ServerConfig", ErrConfig))
	}
	m.view = interpolate.NewPresent(drawingParts(c), func() uint32 { return m.relay.Timeline().Next() })
	c.interpolator = m.view.System
	m.relay = relay.NewClient(c.world, c.link.id, r, unsettled{c.followed.followers}, m.view)
	m.clock.Snap = snapAway * float64(c.world.TickRate())
	m.neutral = make([]int32, wire.InputTable(c.protocol).Words)
	m.words = m.neutral
	m.shown, m.ask = make([]int32, len(m.neutral)), m.wordsNow
	return m
}

// Receive takes in inputs of all.
func (m *deterministicClient) Receive(pk netsys.Packet) error {
	b, err := deterministic.Datagram(pk.Data)
	if err != nil {
		return err
	}
	if err := m.relay.Receive(pk.Seq, b); err != nil {
		return err
	}
	m.c.mirror.Newest.Tick = max(m.c.mirror.Newest.Tick, m.relay.ServerTick())
	if due := m.relay.ServerTick() + m.relay.Waited(); due > m.heard && m.relay.Following() {
		m.heard, m.heardAt = due, m.ticks.At(m.c.steps.now)
		m.clock.Heard(m.ticks.At(pk.At), due, m.roundTrip())
	}
	return nil
}

// Message takes in a part of the state of the world.
func (m *deterministicClient) Message(number int, message []byte) (bool, error) {
	b, ok := deterministic.Message(message)
	if !ok || number != m.channel {
		return false, nil
	}
	return true, m.relay.Deliver(b)
}

// Acked does nothing: messages say themselves what the server knows.
func (m *deterministicClient) Acked(uint16) {}

// Confirm tells of events whose ticks are simulated.
func (m *deterministicClient) Confirm() {
	c := m.c
	next := m.relay.Timeline().Next()
	_, loaded := c.mirror.Loaded()
	if m.relay.Following() && !loaded {
		c.mirror.Load(next)
		loaded = true
		if c.config.Loaded != nil {
			c.config.Loaded(c.world, next)
		}
	}
	if loaded && c.config.Events != nil {
		c.config.Events.Deliver(next)
	}
}

// roundTrip is that of late, in ticks. In each of the two ends a datagram waits half a tick, as a
// rule, until it is looked at; that is no part of the way.
func (m *deterministicClient) roundTrip() float64 {
	st := m.c.link.session.Stats()
	return max(m.ticks.RoundTrip(st.MinRTT, st.RTT)-1, 0)
}

// reconcile simulates again what was guessed wrong, as far as that is known now.
func (m *deterministicClient) reconcile(*ecs.World) {
	m.view.BeginStep(m.relay.Timeline().Next())
	if m.relay.Following() {
		m.relay.Timeline().Pass()
	}
	m.view.EndStep()
}

// gather asks the game for the input of the coming tick, when it will be used.
func (m *deterministicClient) gather(w *ecs.World) {
	m.words = m.neutral
	if !m.relay.Due() {
		return
	}
	m.c.inputs.Run(w)
	m.words = m.c.inputs.Log.Words(m.c.inputs.Log.Newest)
}

// predict simulates the next tick, and before it again what own inputs have changed since.
func (m *deterministicClient) predict(*ecs.World) {
	m.view.BeginStep(m.relay.Timeline().Next())
	if m.stepped = false; m.held {
		m.relay.Hold(m.words)
	} else {
		m.stepped = m.relay.Step(m.words)
	}
	m.view.EndStep()
	m.advanced = m.advanced || m.stepped
	m.held = false
	m.c.mirror.Own.Newest.Tick = m.relay.Timeline().Horizon()
}

// Rate slews.
func (m *deterministicClient) Rate() float64 {
	rate := m.pace()
	m.held = rate == 0
	if rate < 0.5 || rate > 1.5 {
		return 1 // waiting, or catching up: see More
	}
	return rate
}

// BeforeReceive is none: all ticks go by what was received.
func (m *deterministicClient) BeforeReceive(int) int { return 0 }

// More reports whether to make another tick in a frame that has made so many more than
// were due.
func (m *deterministicClient) More(extra int) bool {
	if n := m.relay.Stats().States; n != m.states {
		m.states, m.arrived = n, false
	}
	m.arrived = m.arrived || m.relay.Playing() && m.relay.Ahead() == 0
	switch {
	case !m.stepped:
		return false
	case !m.arrived && m.relay.Ahead() > 0:
		return extra < mostAtOnce
	case extra >= catchUp:
		return false
	}
	return m.pace() > 1.5
}

// pace is how many ticks a frame should make to be where the server is, or under lockstep as far behind it as everybody. One
// that has heard nothing for long does not know where that is, and makes none: a server that stood still goes on from
// where it was.
func (m *deterministicClient) pace() float64 {
	if m.ticks.At(m.c.steps.now)-m.heardAt > max(silence*float64(m.c.world.TickRate()), leastSilence) {
		return 0
	}
	return m.clock.Rate(m.due()-m.relay.Lag(), m.relay.Timeline().Next()+m.relay.Waited(), catchUp)
}

// due is when the newest tick was due, in ticks, whenever the frame came that made it.
func (m *deterministicClient) due() float64 {
	return m.ticks.At(m.c.steps.now) - m.c.steps.loop.Passed(m.c.steps.now)
}

// Applied is that of the newest tick.
func (m *deterministicClient) Applied() uint32 {
	if next := m.relay.Timeline().Next(); m.relay.Playing() && next > 0 {
		return next - 1
	}
	return 0
}

// send tells the server the inputs that it has not told to have.
func (m *deterministicClient) send(*ecs.World) {
	m.relay.Repeat(peersRepeats(m.c.link.session.Stats(), m.c.world.StepDuration()))
	m.packet = append(m.packet[:0], deterministic.Kind)
	m.packet = m.relay.Append(m.packet, deterministic.Limit)
	if _, err := m.c.link.session.Send(m.c.steps.now, m.packet); err != nil {
		m.c.stats.SendErrors++
	} else {
		m.c.stats.InputBytes += uint64(len(m.packet))
	}
	for b := m.relay.Outgoing(); b != nil; b = m.relay.Outgoing() {
		m.packet = deterministic.AppendMessage(m.packet[:0], b)
		if err := m.c.link.session.Channels().Send(m.channel, m.packet); errors.Is(err, channel.ErrFull) {
			break
		}
		m.relay.Sent() // a report that is too long for the channel is given up
	}
}

// interpolate draws everything in the present.
func (m *deterministicClient) interpolate(*ecs.World) {
	if _, loaded := m.c.mirror.Loaded(); loaded && !m.advanced && !m.stepped {
		m.view.Stall()
	}
	m.advanced = false
	m.view.Run(nil)
}

// count adds what the timeline counts.
func (m *deterministicClient) count(s ClientStats) ClientStats {
	t, r := m.relay.Timeline().Stats(), m.relay.Stats()
	s.Ticks, s.Resimulated, s.LongestReplay, s.Corrections = t.Ticks, t.Resimulated, uint64(t.Longest), t.Passes
	s.InputsSent, s.Renewals = r.Sent, r.Lost
	return s
}
