package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// clientInputs are the inputs of this client, once it is connected.
type clientInputs struct {
	*inputgather.System
	sender *inputgather.Sender
}

// predictor is what this client predicted, by input.
type predictor struct {
	log     *inputgather.Log
	history *ecs.History
	scopes  mirror.Records[scoped]
	applied uint32 // newest input that the world stands after; later ones are gathered, in log
}

// jump goes on from an input that the server is at, without those in between.
func (p *predictor) jump(input uint32) {
	p.log.Jump(input)
	p.applied = input
}

// predict is the system Predict: it applies the newest input to the client's
// own entities at once, by the rules the server will apply.
func (c *Client) predict(w *ecs.World) {
	c.step(w, c.predictor.log.Newest)
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
	c.give(c.predictor.log.Value(seq))
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

// send is the system Send of a client.
func (c *Client) send(*ecs.World) { c.inputs.sender.Send(c.steps.now, c.link.session) }

// fill puts into a message of inputs what the server has to hear besides.
func (c *Client) fill(m *wire.Input) {
	m.Epoch = c.mirror.Epoch()
	m.Shift = c.steps.steering.Done()
	c.writeReport(m)
}
