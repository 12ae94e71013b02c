package systems

import "github.com/tactusgo/tactus/systems/internal/mirror"

// What a client predicts is proven entity by entity: own state that had no room for all of
// them, and the snapshots of co-simulated ones, say nothing of the others. An outcome of an
// input can follow from anything that is simulated here, so it is final when each of these
// entities was found right after that input, or a later one, and not before.
//
// What turns out wrong is simulated again, from the newest own state at most; of the inputs
// before that everything that waits for proof is withdrawn.

// confirmedInput is the last input whose results are known to be the server's.
func (c *Client) confirmedInput() uint32 {
	if c.reconciler.takeServerState { // something is wrong, and own state to correct it is on its way
		return c.followed.void
	}
	confirmed := c.consumed()
	for _, r := range c.mirror.Entities.All() {
		if c.awaitsProof(r) {
			confirmed = min(confirmed, c.reconciler.records.Of(r).confirmedInput)
		}
	}
	return max(confirmed, c.followed.void)
}

// consumed is the newest input whose results are told of.
func (c *Client) consumed() uint32 {
	return min(max(c.reconciler.co.inputs.newest.input, c.reconciler.settled), c.predictor.applied)
}

// awaitsProof reports whether outcomes can follow from an entity: one that is simulated
// here, until its end, which was foreseen, has come on the server, too.
func (c *Client) awaitsProof(r *mirror.Replica) bool {
	return r.Simulated && !r.Entity.IsZero() && c.world.Netcode().Mask(r.Entity)&c.shape.predicted != 0 &&
		(r.Removed.Tick == 0 || !c.world.Netcode().Suspended(r.Entity))
}

// predictsOwn reports whether any entity of this client is simulated here.
func (c *Client) predictsOwn() bool {
	for _, r := range c.mirror.Entities.All() {
		if r.Predicted() {
			return true
		}
	}
	return false
}

// proveOwn notes that those own entities that own state tells of stand as it says.
func (c *Client) proveOwn(own mirror.OwnState) {
	c.mirror.Own.EachEntity(own.Send, func(id uint32) {
		if r := c.mirror.Entities.Of(id); r != nil {
			x := c.reconciler.records.Of(r)
			x.confirmedInput = max(x.confirmedInput, own.Input)
		}
	})
}

// proveAllOwn notes that all own entities were predicted right after an input.
func (c *Client) proveAllOwn(input uint32) {
	for _, r := range c.mirror.Entities.All() {
		if r.Predicted() {
			x := c.reconciler.records.Of(r)
			x.confirmedInput = max(x.confirmedInput, input)
		}
	}
}

// lose notes that a co-simulated entity is simulated here no more, before what it did was
// proven: so what followed from that is withdrawn, or simulated again without it.
func (c *Client) lose(r *mirror.Replica) {
	c.reconciler.co.lost = c.reconciler.co.lost || r.CoSimulated() && c.awaitsProof(r) && c.followed.outcomes != nil && c.followed.outcomes.Stats().Open > 0
}
