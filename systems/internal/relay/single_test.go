package relay_test

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// turret is steered by one number that travels as it is, crane by one that travels as a difference.
type (
	turret struct {
		Turn int32 `net:"-20..20"`
	}
	crane struct {
		Turn int32 `net:"-2000..2000"`
	}
)

// An input of a single number arrives as it was.
func TestInputsOfOneNumber(t *testing.T) {
	t.Run("short", func(t *testing.T) { single(t, func(in *turret) *int32 { return &in.Turn }, 20) })
	t.Run("long", func(t *testing.T) { single(t, func(in *crane) *int32 { return &in.Turn }, 2000) })
}

// single plays a match of one player: in the end it has turned as far as all its inputs say.
func single[I any](t *testing.T, turn func(in *I) *int32, most int32) {
	type gun struct {
		Owner components.Owner
		Place place
		Input I
	}
	game := func() *ecs.World {
		p := ecs.NewProtocol("single/1")
		ecs.Replicate[place](p, 0)
		ecs.Input[I](p)
		p.Simulate("turn", func(w *ecs.World) {
			for _, r := range ecs.Each[struct {
				Place *place
				Input *I
			}](w) {
				r.Place.X += *turn(r.Input)
			}
		})
		return ecs.NewWorld(p, ecs.Config{})
	}
	c := timeline.Config{
		Join:  func(w *ecs.World, player uint32) { ecs.Spawn(w, gun{Owner: components.Owner{Client: player}}) },
		Leave: leaver(),
	}
	server, client := relay.NewServer(game(), relay.Config{Timeline: c}), relay.NewClient(game(), 1, relay.ClientConfig{Timeline: c})
	table := client.Timeline().World().Protocol().Input().Schema
	must(t, server.Add(1, true))
	want := int32(0)
	for now := range uint16(200) {
		server.Step()
		if b := server.Append(nil, 1, now, 1180); len(b) > 0 {
			must(t, client.Receive(now, b))
		}
		if b, err := server.Outgoing(1, nil); b != nil {
			must(t, client.Deliver(b))
			server.Sent(1)
		} else {
			must(t, err)
		}
		var in I
		if now < 180 {
			*turn(&in) = int32(now)*997%(2*most+1) - most
		}
		if client.Due() {
			want += *turn(&in)
		}
		words := make([]int32, table.Words)
		table.Quantize(words, table.Words, unsafe.Pointer(&in), 1)
		client.Step(words)
		must(t, server.Receive(1, now, client.Append(nil, 1180)))
	}
	equal(t, "inputs that were not taken in", server.Stats().Refused+server.Inputs(1).Missing, 0)
	for _, w := range []*ecs.World{server.Timeline().World(), client.Timeline().World()} {
		n := 0
		for _, r := range ecs.Each[struct{ Place *place }](w) {
			equal(t, "turned", r.Place.X, want)
			n++
		}
		equal(t, "guns", n, 1)
	}
}
