package systems

import (
	"errors"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// clientMode is what a client does by the policies that the server told it, beside what
// all models share: the session, the clock, events and messages. The systems of the
// schedule call it.
type clientMode interface {
	// received takes in a datagram; the error is about one that no honest server sends.
	received(pk netsys.Packet) error
	// message takes in a message of a channel, if it is the model's own.
	message(number int, message []byte) (own bool, err error)
	// acked hears of a datagram that arrived.
	acked(seq uint16)
	// confirm makes use of what was received, once all of it was.
	confirm()

	reconcile(w *ecs.World)
	gather(w *ecs.World)
	predict(w *ecs.World)
	send(w *ecs.World)
	interpolate(w *ecs.World)

	// rate is how fast the coming step should pass, 1 for the server's rate.
	rate() float64
	// overdue is how many of the ticks that are due come before what was received.
	overdue(due int) int
	// behind reports whether to make another tick after so many more than were due.
	behind(more int) bool
	// input is the sequence of the newest input that the world stands after.
	input() uint32
	// coming is the next tick, the input of this client that it will consume, and which part
	// of it has passed, 0 where none is to be drawn.
	coming() (tick, input uint32, share float64)
	// foresee gives the inputs of the coming tick as they are known in this frame.
	foresee(input uint32)
	// count adds what the model counts itself.
	count(s *ClientStats)
	// horizon is the first tick, as outcomes count them here, that may still change.
	horizon() uint32
}

// newClientMode chooses by the policies.
func newClientMode(c *Client) clientMode {
	if everywhere(c.policies) {
		return newDeterministicClient(c)
	}
	if stamped(c.policies) {
		return newRewindClient(c)
	}
	return &forwardClient{c}
}

// forwardClient predicts its own entities and shows others as snapshots tell of them.
type forwardClient struct{ *Client }

func (m *forwardClient) received(pk netsys.Packet) error {
	err := m.readSnapshot(pk.At, pk.Data)
	if errors.Is(err, codec.ErrBaseline) {
		return nil
	}
	return err
}

func (m *forwardClient) message(int, []byte) (bool, error) { return false, nil }

func (m *forwardClient) acked(seq uint16) {
	if newest := m.sender.sent.Take(seq); newest != nil {
		m.sender.acked = max(m.sender.acked, *newest)
		m.sender.bases.Ack(seq)
	}
}

func (m *forwardClient) confirm() {
	m.interpolator.clock.settle(m.steps.now)
	m.applyConfirmed()
	if m.join.loaded && m.config.Events != nil {
		m.config.Events.Deliver(m.mirror.newestTick)
	}
}

func (m *forwardClient) reconcile(w *ecs.World)   { m.Client.reconcile(w) }
func (m *forwardClient) gather(w *ecs.World)      { m.Client.gather(w) }
func (m *forwardClient) predict(w *ecs.World)     { m.Client.predict(w) }
func (m *forwardClient) send(w *ecs.World)        { m.Client.send(w) }
func (m *forwardClient) interpolate(w *ecs.World) { m.Client.interpolate(w) }

func (m *forwardClient) rate() float64 { return m.sender.steering.Rate() }

func (m *forwardClient) horizon() uint32 { return m.confirmedInput() + 1 }

func (m *forwardClient) overdue(int) int { return 0 }

func (m *forwardClient) behind(int) bool { return false }

func (m *forwardClient) input() uint32 { return m.predictor.log.newest }

func (m *forwardClient) coming() (tick, input uint32, share float64) {
	input = m.predictor.log.newest + 1
	return m.tickOf(input), input, m.steps.loop.Passed(m.steps.now)
}

func (m *forwardClient) foresee(input uint32) { m.give(m.inputNow(input)) }

func (m *forwardClient) count(*ClientStats) {}
