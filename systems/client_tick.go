package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// gather is the system InputGather: it asks the game for the input of the
// coming tick. Two ticks never share one input.
func (c *Client) gather(w *ecs.World) {
	p := c.log.push()
	if c.config.Gather.fill != nil {
		c.config.Gather.fill(w, p)
	}
	c.log.seal()
	c.stats.Inputs++
}

// predict is the system Predict: it applies the newest input to the client's
// own entities at once, by the rules the server will apply.
func (c *Client) predict(w *ecs.World) {
	c.simulate(w, c.log.newest)
}

// simulate runs Simulate for one input and keeps the result for comparison.
func (c *Client) simulate(w *ecs.World, seq uint32) {
	w.SetTick(c.tickOf(seq))
	w.SetInputSequence(c.id, seq)
	c.give(c.log.value(seq))
	c.followers.Start(seq)
	w.SimulateStage().Run(w)
	c.followers.Done()
	c.history.Capture(seq)
}

// give hands the own entities an input, nil when inputs are empty, and the co-simulated ones
// what is assumed of theirs, whoever they belonged to before.
func (c *Client) give(input unsafe.Pointer) {
	c.world.GiveInputs(func(owner uint32) unsafe.Pointer {
		if owner == c.id {
			return input
		}
		return nil
	})
	if c.config.Assume.fill != nil {
		for _, r := range c.co.list {
			c.assume(r.entity)
		}
	}
}

// tickOf is the server tick that consumes an input: the confirmed tick plus the
// inputs since (rule A8); or the one that it is stamped with. With co-simulated entities,
// which follow the tick, it is that of the newest snapshot, whatever that told of.
func (c *Client) tickOf(seq uint32) uint32 {
	if stamped(c.policies) {
		return seq
	}
	tick, input := c.heard()
	if x := &c.co.inputs.newest; c.co.any {
		tick, input = x.tick, x.input
	}
	if tick == 0 {
		return c.newestTick
	}
	return uint32(int64(tick) + int64(seq) - int64(input) - 1)
}

// send is the system Send of a client: one packet a tick with the newest
// inputs, as many as may not have arrived (rule C2).
func (c *Client) send(*ecs.World) {
	n := min(c.log.newest-min(c.log.newest, c.ackedInput), uint32(c.depth)+8, maxRedundancy)
	n = min(max(n, 1), c.log.newest-c.log.first+1)
	if c.log.newest < c.log.first || n == 0 {
		return
	}
	if c.depth == unreadDepth {
		c.bases.clear()
	}
	m := &c.message
	m.epoch = c.epoch
	m.shift = c.steer.doneUnits()
	m.newest = uint16(c.log.newest)
	m.count = int(n)
	m.words = m.words[:0]
	for seq := c.log.newest - n + 1; seq <= c.log.newest; seq++ {
		m.words = append(m.words, c.log.quantized(seq)...)
	}
	c.advise(m)
	c.packet = c.appendChanges(c.packet[:0])
	changes := len(c.packet)
	c.packet = c.inputs.append(c.packet, m, c.session.Next(), c.bases)
	if len(c.packet) > netsys.MaxPayload {
		c.packet = c.packet[:copy(c.packet, c.packet[changes:])] // the changes go with a later one
		changes = 0
	}
	seq, err := c.session.Send(c.now, c.packet)
	if err != nil {
		c.stats.SendErrors++
		return
	}
	c.sent[seq%sentRing] = sentInput{seq: seq, live: true, input: c.log.newest}
	c.bases.put(seq, m, c.inputs.state)
	c.stats.InputBytes += uint64(len(c.packet) - changes)
	c.stats.InputsSent += uint64(n)
}

// sentInput remembers the newest input of a packet.
type sentInput struct {
	seq   uint16
	live  bool
	input uint32
}
