package duel

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// Buttons.
const (
	left = 1 << iota
	right
	strike
	guard
)

// World is the ring as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "duel",
		Help:     "A D or arrows walk, J or Space strikes, K or S guards; F3 shows the network. Two fight, others watch",
		Protocol: game.Protocol,
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyA, Buttons: left}, {Key: ebiten.KeyArrowLeft, Buttons: left},
				{Key: ebiten.KeyD, Buttons: right}, {Key: ebiten.KeyArrowRight, Buttons: right},
				{Key: ebiten.KeyJ, Buttons: strike}, {Key: ebiten.KeySpace, Buttons: strike},
				{Key: ebiten.KeyK, Buttons: guard}, {Key: ebiten.KeyS, Buttons: guard}, {Key: ebiten.KeyArrowDown, Buttons: guard},
			},
			Click: strike,
			Walk:  [4]uint32{0, guard, left, right},
			Pads:  []stage.Pad{{Name: "strike", Buttons: strike}, {Name: "guard", Buttons: guard}},
		},
		New: func(s *stage.Stage) stage.Scene { return &scene{stage: s} },
	}
}

// ground is where the fighters stand; y goes down. far is how far they are apart, at most, while the camera is near.
const ground, far = 330, 200

// scene is the ring on the screen.
type scene struct {
	stage  *stage.Stage
	camera paint.Plane
	middle float64 // of what the camera shows
	wide   float64
	held   bool // strike was down in the last tick
	place  string
}

// fighter is a row of the view.
type fighter struct {
	Owner components.Owner
	Pos   components.Position
	Is    game.Fighter
}

// Configure implements [stage.Scene].
func (s *scene) Configure(config *systems.ClientConfig) {
	stage.Inputs(s.stage, config, func(_ *systems.Client, in *game.Input) {
		held := s.stage.Controls.Held()
		if held&left != 0 {
			in.Move--
		}
		if held&right != 0 {
			in.Move++
		}
		in.Guard, in.Strike = held&guard != 0, held&strike != 0 && !s.held
		if s.stage.Ticking() {
			s.held = held&strike != 0
		}
	})
}

// Caption implements [stage.Captioned].
func (s *scene) Caption(b []byte) []byte { return append(b, s.place...) }

// Places implements [stage.Placed].
func (s *scene) Places() overlay.Places {
	return stage.PlacesOf(s.stage, func(p components.Position) overlay.Point {
		return overlay.Point{X: float64(p.X), Y: ground - 50}
	}, func(p overlay.Point) (x, y float64, ok bool) {
		x, y = s.camera.OnScreen(p.X, p.Y)
		return x, y, true
	})
}

// Draw implements [stage.Scene].
func (s *scene) Draw(c *systems.Client, to *paint.Canvas) {
	p := &s.camera
	s.look(c)
	p.X, p.Y = s.middle, ground-90
	p.Look(to, s.wide, 0.46*s.wide)
	s.drawRing(to)
	if c == nil {
		return
	}
	s.place = "watching"
	for _, f := range ecs.All[fighter](c.View()) {
		if f.Owner.Client == c.ID() {
			s.place = "fighting"
		}
		s.drawFighter(&f, paint.Of(f.Owner.Client, c.ID()))
		s.drawCorner(to, &f, paint.Of(f.Owner.Client, c.ID()), f.Owner.Client == c.ID())
	}
	ring := ecs.Single[game.Ring](c.View())
	b := append(to.Bytes(), "round "...)
	b = appendInt(b, int(ring.Rounds)+1)
	if ring.Watching > 0 {
		b = appendInt(append(b, "   watching "...), int(ring.Watching))
	}
	_, y := p.OnScreen(0, ground+38)
	to.Text(to.Bold, to.W/2, min(y, to.H-10*to.Unit), 0.5, b, paint.Muted) // low screens show less ground
}

// look moves the camera after the fighters: between them, and as near as they are to each other.
func (s *scene) look(c *systems.Client) {
	middle, wide := game.Width/2.0, game.Width+60.0
	if c != nil {
		n, least, most := 0, game.Width+0.0, 0.0
		for _, f := range ecs.All[fighter](c.View()) {
			least, most = min(least, float64(f.Pos.X)), max(most, float64(f.Pos.X))
			n++
		}
		if n > 1 {
			wide = min(max(most-least, far)+340, wide)
			middle = min(max((least+most)/2, wide/2-30), game.Width+30-wide/2)
		}
	}
	if s.wide == 0 {
		s.middle, s.wide = middle, wide
	}
	share := 1 - math.Exp(-3*s.stage.Step())
	s.middle += (middle - s.middle) * share
	s.wide += (wide - s.wide) * share
}

func appendInt(b []byte, n int) []byte {
	if n > 9 {
		b = appendInt(b, n/10)
	}
	return append(b, byte('0'+n%10))
}
