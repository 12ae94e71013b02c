package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// differs compares the world of a client with the server's after the newest tick that is
// final on both.
func (m *deterministicClient) differs(ours *timeline.Timeline) error {
	if !m.relay.Following() {
		return fmt.Errorf("the client has no state of the world")
	}
	theirs := m.relay.Timeline()
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

// simulatedEntities are those of a client that simulates everything.
type simulatedEntities struct{ *deterministicClient }

// Presence is what is known of an entity: everything that is there is simulated.
func (m simulatedEntities) Presence(id components.NetID) Presence {
	if _, there := m.c.world.ByNetID(id); there {
		return Present
	}
	if _, loaded := m.c.mirror.Loaded(); !loaded {
		return NotLoaded
	}
	return Destroyed
}

// StateTick is the newest tick whose inputs are final.
func (m simulatedEntities) StateTick(id components.NetID) (tick uint32, ok bool) {
	return m.c.mirror.Own.Newest.Tick, m.Presence(id) == Present
}

// Coming is the timeline's next tick, in which everything is simulated.
func (m *deterministicClient) Coming() (tick, input uint32, share float64) {
	tick = m.relay.Timeline().Next()
	switch {
	case !m.relay.Following():
		return tick, tick, 0
	case !m.stepped:
		return tick, tick, 1 // it was due and did not come: all of it is drawn already
	}
	return tick, tick, m.c.steps.loop.Passed(m.c.steps.now)
}

// Foresee gives all players the inputs that are known of the coming tick, and guessed.
func (m *deterministicClient) Foresee(uint32) { m.relay.Foresee(m.ask) }

// wordsNow is the input as it is in this frame.
func (m *deterministicClient) wordsNow() []int32 {
	in := wire.InputTable(m.c.protocol)
	if p := m.c.inputs.Now(m.c.world); p != nil {
		in.Quantize(m.shown, in.Words, p, 1)
	}
	return m.shown
}
