package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// sentKept is how many packets of inputs are remembered until they are acknowledged.
const sentKept = 512

// predictor is what this client predicted, by input.
type predictor struct {
	log     *inputLog
	history *ecs.History
	scopes  mirror.Records[scoped]
	applied uint32 // newest input that the world stands after; later ones are gathered, in log
}

// jump goes on from an input that the server is at, without those in between.
func (p *predictor) jump(input uint32) {
	p.log.jump(input)
	p.applied = input
}

// inputSender is what of its inputs this client has told.
type inputSender struct {
	acked    uint32                // input
	sent     inflight.Ring[uint32] // the newest input of each packet
	message  wire.Input
	coder    *wire.InputCoder
	bases    *wire.Bases
	packet   []byte
	depth    int      // inputs that wait at the server, as it said
	asked    []uint64 // room for the input of a partial tick
	steering clock.Steering
}

// gather is the system InputGather: it asks the game for the input of the
// coming tick. Two ticks never share one input.
func (c *Client) gather(w *ecs.World) {
	p := c.predictor.log.push()
	if c.config.Gather.fill != nil {
		c.config.Gather.fill(w, p)
	}
	c.predictor.log.seal()
	c.stats.Inputs++
}

// predict is the system Predict: it applies the newest input to the client's
// own entities at once, by the rules the server will apply.
func (c *Client) predict(w *ecs.World) {
	c.step(w, c.predictor.log.newest)
}

// step applies the next input.
func (c *Client) step(w *ecs.World, seq uint32) {
	c.simulate(w, seq)
	c.predictor.applied = seq
}

// simulate runs Simulate for one input and keeps the result for comparison.
func (c *Client) simulate(w *ecs.World, seq uint32) {
	w.Netcode().SetTick(c.model.numbering.TickOf(seq))
	w.Netcode().SetInputSequence(c.link.id, seq)
	c.give(c.predictor.log.value(seq))
	c.followed.followers.Start(seq)
	w.Netcode().SimulateStage().Run(w)
	c.followed.followers.Done()
	c.predictor.history.Capture(seq)
}

// give hands the own entities an input, nil when inputs are empty, and the co-simulated ones
// what is assumed of theirs, whoever they belonged to before.
func (c *Client) give(input unsafe.Pointer) {
	c.world.Netcode().GiveInputs(func(owner uint32) unsafe.Pointer {
		if owner == c.link.id {
			return input
		}
		return nil
	})
	if c.config.Assume.fill != nil {
		for _, r := range c.reconciler.co.list {
			c.assume(r.Entity)
		}
	}
}

// send is the system Send of a client: one packet a tick with the newest
// inputs, as many as may not have arrived (rule C2).
func (c *Client) send(*ecs.World) {
	n := min(c.predictor.log.newest-min(c.predictor.log.newest, c.sender.acked), uint32(c.sender.depth)+8, wire.MaxRedundancy)
	n = min(max(n, 1), c.predictor.log.newest-c.predictor.log.first+1)
	if c.predictor.log.newest < c.predictor.log.first || n == 0 {
		return
	}
	if c.sender.depth == unreadDepth {
		c.sender.bases.Clear()
	}
	m := &c.sender.message
	m.Epoch = c.baselines.epoch
	m.Shift = c.sender.steering.Done()
	m.Newest = uint16(c.predictor.log.newest)
	m.Count = int(n)
	m.Words = m.Words[:0]
	for seq := c.predictor.log.newest - n + 1; seq <= c.predictor.log.newest; seq++ {
		m.Words = append(m.Words, c.predictor.log.quantized(seq)...)
	}
	c.writeReport(m)
	c.sender.packet = c.owned.AppendPrefix(c.sender.packet[:0], c.link.session.Next())
	changes := len(c.sender.packet)
	c.sender.packet = c.sender.coder.Append(c.sender.packet, m, c.link.session.Next(), c.sender.bases)
	if len(c.sender.packet) > netsys.MaxPayload {
		c.sender.packet = c.sender.packet[:copy(c.sender.packet, c.sender.packet[changes:])] // the changes go with a later one
		changes = 0
	}
	seq, err := c.link.session.Send(c.steps.now, c.sender.packet)
	if err != nil {
		c.stats.SendErrors++
		return
	}
	*c.sender.sent.Put(seq) = c.predictor.log.newest
	c.sender.bases.Put(seq, m, c.sender.coder.State)
	c.stats.InputBytes += uint64(len(c.sender.packet) - changes)
	c.stats.InputsSent += uint64(n)
}
