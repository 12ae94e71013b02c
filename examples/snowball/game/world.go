package game

import (
	"flag"
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
)

// World returns the game for package runner. Models that show all players in the present need no lag compensation.
func World() runner.World {
	drift := false
	return runner.World{
		Name:     "snowball",
		About:    "Predicted snowballs, and hits in the view of the thrower. -drift makes predictions wrong and shows the cause;\nadd -force-rollback to see the system too.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol(drift) },
		Bot:      func(o *runner.Options, n int) runner.Bot { return &bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n))} },
		Server:   func(_ *runner.Options, c *systems.ServerConfig) { c.LagComp = &lagcomp.Config{} },
		Client:   func(_ *runner.Options, c *systems.ClientConfig) { c.Schedule = schedule },
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&drift, "drift", false, "make a rule use random numbers from outside of the world, so that predictions are wrong")
		},
		Defaults: runner.Options{NPCs: -1},
		Presets:  []policy.Model{policy.CorrectOnMismatch{}, policy.LocalSync{}, policy.Buffered{}},
		Proof:    proof,
	}
}

// join spawns the player of a client.
func join(w *ecs.World, client uint32, _ *struct{}) {
	draw := ecs.NewRand(w.Seed(), uint64(client))
	at := components.Position{X: Radius + draw.Float32()*(Width-2*Radius), Y: Radius + draw.Float32()*(Height-2*Radius)}
	w.Spawn(components.Owner{Client: client}, at, components.Heading{}, Kid{}, Score{}, Input{})
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

// bot walks at random and throws at players nearby in its view. The seed determines its decisions.
type bot struct {
	draw     ecs.Rand
	in       Input
	left     int // ticks until its next decision
	released bool
}

// Gather returns the function that produces the bot's inputs.
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

// Release makes the bot press no more keys.
func (b *bot) Release() { b.released = true }

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

// Proof has counts that show what the example demonstrates.
type Proof struct {
	Throws       int    `json:"throws"`               // on the server
	Matched      int    `json:"matched_spawns"`       // predicted snowballs that the server threw too
	Mispredicted int    `json:"mispredicted_spawns"`  // predicted snowballs that the server did not throw
	Past         int    `json:"lag_compensated_hits"` // hits that would have missed without lag compensation
	Blames       uint64 `json:"blames"`               // fields that caused corrections, over all corrections
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
