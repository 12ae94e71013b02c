package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
)

// differs compares the world of a client with the server's after the newest tick that is
// final on both.
func (m *deterministicClient) differs(s *deterministicServer) error {
	if !m.relay.Following() {
		return fmt.Errorf("the client has no state of the world")
	}
	ours, theirs := s.relay.Timeline(), m.relay.Timeline()
	final := min(ours.Horizon(), theirs.Horizon())
	if final == 0 {
		return fmt.Errorf("no tick is final on both peers")
	}
	tick := final - 1
	a, okA := ours.Hash(tick)
	b, okB := theirs.Hash(tick)
	switch {
	case !okA || !okB:
		return fmt.Errorf("tick %d, the newest that is final on both, is %d ticks old", tick, ours.Next()-final)
	case a == b:
		return nil
	}
	x, errX := ours.AppendDigest(nil, tick)
	y, errY := theirs.AppendDigest(nil, tick)
	where := "the world"
	if errX == nil && errY == nil {
		where = ours.Divergence(x, y)
	}
	return fmt.Errorf("tick %d: %s differs: hash %016x on the client, %016x on the server", tick, where, b, a)
}

// presence is what is known of an entity: everything that is there is simulated.
func (m *deterministicClient) presence(id components.NetID) Presence {
	if _, there := m.world.ByNetID(id); there {
		return Present
	}
	if !m.join.loaded {
		return NotLoaded
	}
	return Destroyed
}
