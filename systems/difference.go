package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/systems/internal/differ"
)

// Difference compares a client's world with the server's: entity by entity, field
// by field, each as captured for the send of its newest state that has arrived; own
// predicted components with what the server had after the same input, within
// tolerance. That send must be the newest that the client has heard of, unless the
// byte budget makes entities wait. It returns nil when all is equal, and otherwise
// the first difference by entity, component and field with both values. Under rollback
// and lockstep it compares the hashes of the newest tick that is final on both. Both peers
// must be at rest: call it between ticks, on one goroutine.
func Difference(s *Server, c *Client) error {
	_, loaded := c.Loaded()
	switch {
	case c.link.err != nil:
		return fmt.Errorf("the client is gone: %w", c.link.err)
	case c.world == nil:
		return fmt.Errorf("the client never connected")
	case !loaded:
		return fmt.Errorf("the client has not joined yet")
	}
	if c.model.differs != nil {
		return c.model.differs(s.model.line)
	}
	p := s.sessions.byID[c.link.id]
	if p == nil {
		return fmt.Errorf("the server has no client %d", c.link.id)
	}
	return differ.Ends{
		World: c.world, Client: c.link.id, Mirror: c.mirror, Reconciler: c.reconciler,
		Tick: s.link.tick, Snapshots: s.snapshots, Told: p.snapshot,
	}.Compare()
}
