package game

import (
	"flag"
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/runner"
)

// World is the game for the runner. Models that show everybody in the present have nothing to compensate.
func World() runner.World {
	drift := false
	return runner.World{
		Name:     "snowball",
		About:    "Predicted snowballs, and hits judged by what the thrower saw. -drift, and with it -force-rollback, show who is to blame.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol(drift) },
		Bot:      func(o *runner.Options, n int) runner.Bot { return &bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n))} },
		Server:   func(_ *runner.Options, c *systems.ServerConfig) { c.LagComp = &lagcomp.Config{} },
		Client:   func(_ *runner.Options, c *systems.ClientConfig) { c.Schedule = schedule },
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&drift, "drift", false, "a rule draws from a generator that goes on")
		},
		Defaults: runner.Options{NPCs: -1},
		Presets:  []policy.Preset{policy.CorrectOnMismatch, policy.LocalSync, policy.Buffered},
		Proof:    proof,
	}
}

// join gives a client a player.
func join(w *ecs.World, client uint32, _ *struct{}) {
	draw := ecs.NewRand(w.Seed(), uint64(client))
	at := components.Position{X: Radius + draw.Float32()*(Width-2*Radius), Y: Radius + draw.Float32()*(Height-2*Radius)}
	w.Spawn(components.Owner{Client: client}, at, components.Heading{}, Kid{}, Score{}, Input{})
}

// Claim says what the player's view shows, for as long as it throws or has snowballs in the air: whoever plays, bot or
// human, fills its input so.
func Claim(c *systems.Client, in *Input) {
	acts := in.Throw
	for _, b := range ecs.All[snowball](c.World()) {
		acts = acts || b.Owner.Client == c.ID()
	}
	in.Seen = c.Claim(acts)
}

// bot runs about and throws at who is near on its screen. Its whims follow from the seed.
type bot struct {
	draw     ecs.Rand
	in       Input
	left     int // ticks until it changes its mind
	released bool
}

// Gather is how the bot fills its inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		if b.left--; b.left < 0 {
			b.left, b.in.X, b.in.Y = 20+b.draw.IntN(50), int8(b.draw.IntN(3)-1), int8(b.draw.IntN(3)-1)
		}
		nearest := float32(450 * 450)
		b.in.Throw = false
		self, _ := c.Own(c.World()) // which came first
		if at := ecs.Get[components.Position](c.World(), self); at != nil {
			for _, t := range ecs.All[target](c.View()) {
				dx, dy := t.Pos.X-at.X, t.Pos.Y-at.Y
				if d := dx*dx + dy*dy; t.Owner.Client != c.ID() && d < nearest {
					b.in.Aim, b.in.Throw, nearest = Bearing(dx, dy), b.draw.IntN(25) == 0, d
				}
			}
		}
		if b.released {
			b.in = Input{Aim: b.in.Aim}
		}
		*in = b.in
		Claim(c, in)
	})
}

// Release lets go of all keys for good.
func (b *bot) Release() { b.released = true }

// Bearing is the aim along a vector.
func Bearing(dx, dy float32) uint16 {
	return uint16(int32(math.Atan2(float64(dy), float64(dx)) / (2 * math.Pi) * 65536))
}

// Tally is a resource of a client: what became of the snowballs that it predicted.
type Tally struct {
	Matched, Mispredicted int                          // the server threw them too; it did not
	flying                *ecs.Attachments[Ball, bool] // whether it is known that the server did
}

// schedule puts tally behind Predict: once a tick, never again for one that Reconcile replays.
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
	for e := range ecs.Each[struct{ Ball *Ball }](w) { // what a client simulates are its own
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

// Proof is what a match has shown, in counts.
type Proof struct {
	Throws       int    `json:"throws"`               // on the server
	Matched      int    `json:"matched_spawns"`       // predicted snowballs that became the server's
	Mispredicted int    `json:"mispredicted_spawns"`  // those that the server did not throw
	Past         int    `json:"lag_compensated_hits"` // in the server's present they are misses
	Blames       uint64 `json:"blames"`               // fields that corrections are put down to, over all corrections
}

func proof(s *systems.Server, clients []*systems.Client) any {
	var p Proof
	for _, x := range ecs.Each[player](s.World()) {
		p.Throws, p.Past = p.Throws+int(x.Kid.Thrown), p.Past+int(x.Score.Past)
	}
	for _, c := range clients {
		t := ecs.Resource[Tally](c.World())
		p.Matched, p.Mispredicted = p.Matched+t.Matched, p.Mispredicted+t.Mispredicted
		for _, row := range c.Causes().Rows {
			p.Blames += row.Corrections
		}
	}
	return p
}
