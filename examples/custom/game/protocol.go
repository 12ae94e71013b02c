package game

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
)

// Input is the input of a player for one tick: the direction of walking.
type Input struct {
	DX, DY int8 `net:"-1..1"`
}

// Ride is a player's place on a platform. Two riders are compared by it instead of by their positions, because it stays
// valid while the platform moves, however old the confirmed state is.
type Ride struct {
	On uint8 `net:"0..255"` // 1 + the platform's number; 0: on the ground
	// From the platform's middle. If the server held a player back for a tick, the platform has moved one step more than
	// the client knows. The tolerance is larger than this step.
	X float32 `net:"-128..128 step 0.0625 tol 2"`
	Y float32 `net:"-128..128 step 0.0625 tol 2"`
}

// Boost is the effect of a power-up on a player. It is predicted, so that the speed starts with the touch. It names its
// power-up, so that the server can recognize claims that are already granted.
type Boost struct {
	Left  uint16           `net:"0..65535"` // steps that it lasts
	Rest  uint16           `net:"0..65535"` // steps until the player may take another
	Of    components.NetID `net:"raw"`      // the power-up taken last; 0: none yet
	Round uint16           `net:"0..65535"` // the round of it that was taken
}

// PowerUp is taken by touching it. The server decides, and clients know it as last confirmed.
type PowerUp struct {
	Round   uint16 `net:"0..65535"` // how often it was taken; a player claims the present round
	ReadyAt uint32 `net:"raw"`      // tick from which it can be taken
	By      uint32 `net:"raw"`      // client that took it last; 0: nobody
}

// Score is the number of points of a player. Only the server counts it, so a visible point is never taken back.
type Score struct {
	Points uint16 `net:"0..65535"`
}

// Match is a singleton that the server writes.
type Match struct {
	Players uint16 `net:"0..65535"`
	Leader  uint32 `net:"raw"`      // client with the most points, the first of equals; 0: none yet
	Points  uint16 `net:"0..65535"` // of the leader
}

// Protocol returns the game's protocol: the replicated components and the rules in their order.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("custom/2")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "0..1200 step 0.0625", "Y": "0..800 step 0.0625",
	})
	ecs.ReplicateFields[components.Velocity](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "-256..256 step 0.125", "Y": "-256..256 step 0.125",
	})
	ecs.Replicate[Ride](p, ecs.Predicted)
	ecs.Replicate[Boost](p, ecs.Predicted)
	ecs.Replicate[PowerUp](p, 0)
	ecs.Replicate[Score](p, 0)
	ecs.Singleton[Match](p, 0)
	names.Add(p)
	ecs.Input[Input](p)
	ecs.Join(p, join)

	p.Simulate("look", look)
	p.Simulate("carry", carry)
	p.Simulate("walk", walk)
	p.Simulate("push", push)
	p.Simulate("stop", stop)
	p.Simulate("board", board)
	p.Simulate("wear", wear)
	p.Simulate("take", take)
	p.Authority("grant", grant)
	return p
}
