package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/systems"
)

// join spawns the player of a client.
func join(w *ecs.World, client uint32, _ *struct{}) {
	draw := ecs.NewRand(w.Seed(), uint64(client))
	at := components.Position{X: Radius + draw.Float32()*(Width-2*Radius), Y: Radius + draw.Float32()*(Height-2*Radius)}
	w.Spawn(components.Owner{Client: client}, at, components.Heading{}, Kid{}, Score{}, names.Named{}, Input{})
}

// Claim adds the view of the player to an input while the player throws or has snowballs in the air. Bots and human players
// call it for each input.
func Claim(c *systems.Client, in *Input) {
	acts := in.Throw
	for _, b := range ecs.All[snowball](c.World()) {
		acts = acts || b.Owner.Client == c.ID()
	}
	in.Seen = c.Claim(acts)
}

// Bearing returns the aim in the direction of a vector, in 65536ths of a full turn.
func Bearing(dx, dy float32) uint16 {
	return uint16(int32(math.Atan2(float64(dy), float64(dx)) / (2 * math.Pi) * 65536))
}

// Tally is a resource of a client with the results of the snowballs that it predicted.
type Tally struct {
	Matched, Mispredicted int                          // the server threw them too, or did not
	flying                *ecs.Attachments[Ball, bool] // whether the server is known to have thrown it
}

// schedule inserts tally after Predict, so it runs once per tick and not in the ticks that Reconcile replays.
func schedule(s *ecs.Schedule) error {
	return s.InsertAfter("Predict", ecs.System{Name: "Tally", Run: tally})
}

func tally(w *ecs.World) {
	t := ecs.Resource[Tally](w)
	if t == nil {
		t = &Tally{}
		t.flying = ecs.NewAttachments[Ball](func(_ ecs.Entity, matched *bool) {
			if !*matched { // flights are longer than round trips
				t.Mispredicted++
			}
		})
		ecs.SetResource(w, t)
	}
	t.flying.Sweep(w)
	for e := range ecs.Each[struct{ Ball *Ball }](w) { // a client simulates only its own snowballs
		matched := t.flying.Of(e)
		if matched == nil {
			matched = t.flying.Attach(w, e, false)
		}
		if !*matched && w.NetID(e) != 0 {
			*matched = true
			t.Matched++
		}
	}
}
