package physics

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/physics/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// Buttons.
const (
	left = 1 << iota
	right
	jump
)

// World is the yard as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "physics",
		Help:     "A D or arrows roll, Space or W jumps; push the crates about; F3 shows the network",
		Protocol: func() *ecs.Protocol { return game.Protocol(false) },
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyA, Buttons: left}, {Key: ebiten.KeyArrowLeft, Buttons: left},
				{Key: ebiten.KeyD, Buttons: right}, {Key: ebiten.KeyArrowRight, Buttons: right},
				{Key: ebiten.KeySpace, Buttons: jump}, {Key: ebiten.KeyW, Buttons: jump}, {Key: ebiten.KeyArrowUp, Buttons: jump},
			},
			Click: jump,
			Walk:  [4]uint32{jump, 0, left, right},
			Pads:  []stage.Pad{{Name: "jump", Buttons: jump}},
		},
		New: func(s *stage.Stage) stage.Scene { return &scene{stage: s} },
	}
}

// scene is the yard on the screen.
type scene struct {
	stage  *stage.Stage
	camera paint.Plane
}

// thing is a row of the view: a crate, or a ball, which has an owner.
type thing struct {
	Owner components.Owner `ecs:"optional"`
	Body  game.Body
}

// Configure implements [stage.Scene].
func (s *scene) Configure(config *systems.ClientConfig) {
	stage.Inputs(s.stage, config, func(_ *systems.Client, in *game.Input) {
		held := s.stage.Controls.Held()
		if held&left != 0 {
			in.Roll--
		}
		if held&right != 0 {
			in.Roll++
		}
		in.Jump = held&jump != 0
	})
}

// Places implements [stage.Placed].
func (s *scene) Places() overlay.Places {
	return stage.PlacesOf(s.stage, func(b game.Body) overlay.Point {
		return overlay.Point{X: b.X, Y: b.Y}
	}, func(p overlay.Point) (x, y float64, ok bool) {
		x, y = s.camera.OnScreen(p.X, p.Y)
		return x, y, true
	})
}

// wood is what crates are made of.
var wood = paint.RGB(0xb98a54)

// own is where the player is drawn; the middle of the field where there is none.
func (s *scene) own(c *systems.Client) paint.Point {
	if c != nil {
		if e, ok := c.Own(c.View()); ok {
			at := ecs.Get[game.Body](c.View(), e)
			return paint.Point{X: at.X, Y: at.Y}
		}
	}
	return paint.Point{X: game.Width / 2, Y: game.Height / 2}
}

// Draw implements [stage.Scene].
func (s *scene) Draw(c *systems.Client, to *paint.Canvas) {
	p := &s.camera
	p.LookAround(to, game.Width, game.Height, 40, s.own(c), s.stage.Step())
	p.Field(game.Width, game.Height, 60)
	p.Box(game.Width/2, game.Height-5, game.Width, 10, 0, 0, paint.Wall.Toward(paint.Floor, 0.4))
	p.Box(5, game.Height/2, 10, game.Height, 0, 0, paint.Wall.Toward(paint.Floor, 0.4))
	p.Box(game.Width-5, game.Height/2, 10, game.Height, 0, 0, paint.Wall.Toward(paint.Floor, 0.4))
	if c == nil {
		return
	}
	for _, t := range ecs.All[thing](c.View()) {
		if t.Owner.Client == 0 {
			s.drawCrate(&t.Body)
		} else {
			s.drawBall(&t.Body, paint.Of(t.Owner.Client, c.ID()), t.Owner.Client == c.ID())
		}
	}
}

// drawCrate draws a crate with two boards across.
func (s *scene) drawCrate(b *game.Body) {
	p := &s.camera
	sin, cos := math.Sincos(b.Angle)
	at := func(x, y float64) (float64, float64) { return b.X + x*cos - y*sin, b.Y + x*sin + y*cos }
	p.Box(b.X, b.Y, game.Side, game.Side, 3, b.Angle, wood.Toward(paint.Black, 0.45))
	p.Box(b.X, b.Y, game.Side-7, game.Side-7, 2, b.Angle, wood)
	const in = game.Side/2 - 6
	for _, way := range []float64{-1, 1} {
		x0, y0 := at(-in, -in*way)
		x1, y1 := at(in, in*way)
		p.Line(x0, y0, x1, y1, 4, wood.Toward(paint.Black, 0.3))
	}
}

// drawBall draws a ball with a spoke, by which one sees it roll.
func (s *scene) drawBall(b *game.Body, t paint.Tint, own bool) {
	p := &s.camera
	sin, cos := math.Sincos(b.Angle)
	p.Ball(b.X, b.Y, 2*game.Radius, t)
	p.Line(b.X-cos*game.Radius*0.7, b.Y-sin*game.Radius*0.7, b.X+cos*game.Radius*0.7, b.Y+sin*game.Radius*0.7, 5, t.Toward(paint.Black, 0.45))
	p.Disc(b.X, b.Y, 10, t.Toward(paint.White, 0.4))
	if own {
		p.Ring(b.X, b.Y, 2.5*game.Radius, 2.5, paint.White.Fade(0.5))
	}
}
