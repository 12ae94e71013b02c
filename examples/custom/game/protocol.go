package game

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Input is what a player does in one tick: the direction it walks in.
type Input struct {
	DX, DY int8 `net:"-1..1"`
}

// Ride is where on a platform a player stands. Two who ride together are compared
// by this and not by their places: it stays true while the platform moves on,
// however long ago the other was confirmed.
type Ride struct {
	On uint8 `net:"0..255"` // 1 + the platform's number; 0: on the ground
	// From the platform's middle. For a player whom the server held back for a
	// tick the platform has moved a step more than its client knew; the tolerance
	// is more than that.
	X float32 `net:"-128..128 step 0.0625 tol 2"`
	Y float32 `net:"-128..128 step 0.0625 tol 2"`
}

// Boost is what a player has of a power-up. It is predicted, so that speed comes
// with the touch, and it names what it was taken from, so that the server can
// tell a claim that it has granted from one that it has not.
type Boost struct {
	Left  uint16           `net:"0..65535"` // steps that it lasts
	Rest  uint16           `net:"0..65535"` // steps until the player may take another
	Of    components.NetID `net:"raw"`      // the power-up taken last; 0: none yet
	Round uint16           `net:"0..65535"` // the round of it that was taken
}

// PowerUp lies about and is taken by touching. It is the server's: clients know
// it as last confirmed.
type PowerUp struct {
	Round   uint16 `net:"0..65535"` // how often it was taken; who takes it claims this round
	ReadyAt uint32 `net:"raw"`      // tick from which it can be taken
	By      uint32 `net:"raw"`      // client that took it last; 0: nobody
}

// Score is what a player has won. Only the server counts it, so a point that a
// client sees is never taken back.
type Score struct {
	Points uint16 `net:"0..65535"`
}

// Match is a singleton: what there is one of in the world. It is the server's.
type Match struct {
	Players uint16 `net:"0..65535"`
	Leader  uint32 `net:"raw"`      // client with the most points, the first of equals; 0: none yet
	Points  uint16 `net:"0..65535"` // of the leader
}

// Protocol builds the game's protocol: what travels, and the rules in the order
// in which they run.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("custom/1")
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
