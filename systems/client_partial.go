package systems

// beginPartial lets the world stand, while a frame is drawn, where it will be when what has
// passed of the time to the next tick is simulated with the input of this moment: a partial
// tick, as Netcode for Entities calls it. It is the tick that comes, in a smaller step. The
// world is given back as it was, so that nothing but the view tells of it, and a visual
// error, which is measured between whole ticks, has no part of it. It returns how much of the
// tick that is, 0 where nothing of it is drawn.
func (c *Client) beginPartial() (share float64) {
	if c.config.Partial.fill == nil || !c.stages.predicting {
		return 0
	}
	tick, input, share := c.model.numbering.Coming()
	if share <= 0 {
		return 0
	}
	c.world.Netcode().BeginPartial(tick, c.link.id, input, share)
	c.model.numbering.Foresee(input)
	c.world.Netcode().SimulateStage().Run(c.world)
	return share
}
