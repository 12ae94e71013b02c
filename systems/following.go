package systems

import (
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/deterministic"
)

// following is a client that simulates everything.
type following struct {
	c  *Client
	in *deterministic.Client
}

// Receive takes in inputs of all.
func (m following) Receive(pk netsys.Packet) error {
	err := m.in.Receive(pk)
	if err == nil {
		m.c.mirror.Newest.Tick = max(m.c.mirror.Newest.Tick, m.in.Relay().ServerTick())
	}
	return err
}

// Message takes in a part of the state of the world.
func (m following) Message(number int, message []byte) (bool, error) {
	return m.in.Message(number, message)
}

// Acked does nothing: messages say themselves what the server knows.
func (m following) Acked(uint16) {}

// Confirm tells of events whose ticks are simulated.
func (m following) Confirm() {
	c, next := m.c, m.in.Relay().Timeline().Next()
	if !m.in.Loaded() {
		return
	}
	if _, loaded := c.mirror.Loaded(); !loaded {
		c.mirror.Load(next)
		if c.config.Loaded != nil {
			c.config.Loaded(c.world, next)
		}
	}
	if c.config.Events != nil {
		c.config.Events.Deliver(next)
	}
}

// predict is the system Predict. What is final is confirmed.
func (m following) predict(w *ecs.World) {
	m.in.Predict(w)
	m.c.mirror.Own.Newest.Tick = m.in.Relay().Timeline().Horizon()
}

// count adds what the timeline counts.
func (m following) count(s ClientStats) ClientStats {
	t, r := m.in.Relay().Timeline().Stats(), m.in.Relay().Stats()
	s.Ticks, s.Resimulated, s.LongestReplay, s.Corrections = t.Ticks, t.Resimulated, uint64(t.Longest), t.Passes
	s.InputsSent, s.Renewals = r.Sent, r.Lost
	s.InputBytes, s.SendErrors = s.InputBytes+m.in.Counts.Bytes, s.SendErrors+m.in.Counts.Errors
	return s
}

// Presence is what is known of an entity: everything that is there is simulated.
func (m following) Presence(id components.NetID) Presence {
	if _, there := m.c.world.ByNetID(id); there {
		return Present
	}
	if _, loaded := m.c.mirror.Loaded(); !loaded {
		return NotLoaded
	}
	return Destroyed
}

// StateTick is the newest tick whose inputs are final.
func (m following) StateTick(id components.NetID) (tick uint32, ok bool) {
	return m.c.mirror.Own.Newest.Tick, m.Presence(id) == Present
}

// frameTime is when a client is.
type frameTime struct{ *clientSteps }

// Now is the time of this frame.
func (t frameTime) Now() time.Time { return t.now }

// Passed is which part of the time to the next tick has passed.
func (t frameTime) Passed() float64 { return t.loop.Passed(t.now) }
