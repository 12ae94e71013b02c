package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// clientInputs are the inputs of this client, once it is connected.
type clientInputs struct {
	*inputgather.System
	sender *inputgather.Sender
}

// send is the system Send of a client.
func (c *Client) send(*ecs.World) { c.inputs.sender.Send(c.steps.now, c.link.session) }

// fill puts into a message of inputs what the server has to hear besides.
func (c *Client) fill(m *wire.Input) {
	m.Epoch = c.mirror.Epoch()
	m.Shift = c.steps.steering.Done()
	c.reconciler.Report(m)
}
