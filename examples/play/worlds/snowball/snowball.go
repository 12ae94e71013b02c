package snowball

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/examples/snowball/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Buttons.
const (
	up = 1 << iota
	down
	left
	right
	throw
)

// World is the yard as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "snowball",
		Help:     "W A S D or arrows walk, the mouse aims, click or Space throws, F3 shows the network",
		Protocol: func() *ecs.Protocol { return game.Protocol(false) },
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyW, Buttons: up}, {Key: ebiten.KeyArrowUp, Buttons: up},
				{Key: ebiten.KeyS, Buttons: down}, {Key: ebiten.KeyArrowDown, Buttons: down},
				{Key: ebiten.KeyA, Buttons: left}, {Key: ebiten.KeyArrowLeft, Buttons: left},
				{Key: ebiten.KeyD, Buttons: right}, {Key: ebiten.KeyArrowRight, Buttons: right},
				{Key: ebiten.KeySpace, Buttons: throw},
			},
			Click: throw, Walk: [4]uint32{up, down, left, right}, Push: throw, Aims: true,
		},
		New: func(s *stage.Stage) stage.Scene { return &scene{stage: s} },
	}
}

// scene is the yard on the screen.
type scene struct {
	stage  *stage.Stage
	camera paint.Plane
	aim    uint16 // last aim of keys or thumbs

	corners [4]paint.Point // of the shape being drawn
}

// kid and ball are rows of the view.
type kid struct {
	Owner components.Owner
	Pos   components.Position
	Head  components.Heading
	Kid   game.Kid
	Score game.Score
}

type ball struct {
	Owner components.Owner
	Pos   components.Position
	Ball  game.Ball
}

// Colours of a yard in the evening.
var (
	snow    = paint.RGB(0x334a70)
	glitter = paint.RGB(0x6f8cc0)
	dark    = paint.RGB(0x12312c)
	needle  = paint.RGB(0x1b463a)
	light   = paint.RGB(0x2a6350)
	flake   = paint.RGB(0xeef4ff)
)

// Configure implements [stage.Scene].
func (s *scene) Configure(config *systems.ClientConfig) {
	stage.Inputs(s.stage, config, func(c *systems.Client, in *game.Input) {
		held := s.stage.Controls.Held()
		in.X, in.Y = axis(held, left, right), axis(held, up, down)
		in.Throw, in.Aim = held&throw != 0, s.aimed(c, in)
		if s.stage.Ticking() {
			game.Claim(c, in)
		}
	})
}

// axis is -1, 0 or 1, by two buttons.
func axis(held, less, more uint32) (v int8) {
	if held&less != 0 {
		v--
	}
	if held&more != 0 {
		v++
	}
	return v
}

// aimed returns the direction of a throw: towards the mouse from the player's position in the tick, otherwise the direction
// of the thumb or of the walk.
func (s *scene) aimed(c *systems.Client, in *game.Input) uint16 {
	k := &s.stage.Controls
	dx, dy := float64(in.X), float64(in.Y)
	own, there := c.Own(c.World())
	if x, y, ok := k.Mouse(); ok && there {
		target, at := s.camera.InWorld(x, y), ecs.Get[components.Position](c.World(), own)
		dx, dy = target.X-float64(at.X), target.Y-float64(at.Y)
	} else if x, y, pushed := k.Stick(true); pushed {
		dx, dy = x, y
	}
	if dx != 0 || dy != 0 {
		s.aim = game.Bearing(float32(dx), float32(dy))
	}
	return s.aim
}

// Places implements [stage.Placed].
func (s *scene) Places() overlay.Places {
	return stage.PlacesOf(s.stage, func(p components.Position) overlay.Point {
		return overlay.Point{X: float64(p.X), Y: float64(p.Y)}
	}, func(p overlay.Point) (x, y float64, ok bool) {
		x, y = s.camera.OnScreen(p.X, p.Y)
		return x, y, true
	})
}

// own is where the player is drawn; the middle of the field where there is none.
func (s *scene) own(c *systems.Client) paint.Point {
	if c != nil {
		for _, k := range ecs.All[kid](c.View()) { // a player's balls have the same owner
			if k.Owner.Client == c.ID() {
				return paint.Point{X: float64(k.Pos.X), Y: float64(k.Pos.Y)}
			}
		}
	}
	return paint.Point{X: game.Width / 2, Y: game.Height / 2}
}

// Draw implements [stage.Scene].
func (s *scene) Draw(c *systems.Client, to *paint.Canvas) {
	p := &s.camera
	p.LookAround(to, game.Width, game.Height, 50, s.own(c), s.stage.Step())
	p.Field(game.Width, game.Height, 80)
	p.Box(game.Width/2, game.Height/2, game.Width, game.Height, 6, 0, snow)
	for i := range 90 { // glitter at fixed random places
		f := float64(i)
		p.Disc(math.Mod(593.1*f, game.Width-20)+10, math.Mod(17.3*f*f, game.Height-20)+10, 2+math.Mod(1.7*f, 3), glitter)
	}
	if c != nil {
		s.drawPlayers(c)
	}
	for _, t := range game.Trees {
		s.drawTree(float64(t.X), float64(t.Y), float64(t.Radius))
	}
	if c != nil {
		s.drawBalls(c)
	}
}

// drawTree draws a fir from above: branches in three layers, with snow on top.
func (s *scene) drawTree(x, y, r float64) {
	p := &s.camera
	p.Disc(x+6, y+9, 2.1*r, paint.Black.Fade(0.3))
	for layer, t := range [...]paint.Tint{dark, needle, light} {
		out, in := r*(1.15-0.32*float64(layer)), r*(0.8-0.26*float64(layer))
		for i := range 8 {
			turn := func(by float64) (sin, cos float64) {
				return math.Sincos((float64(i) + by + 0.4*float64(layer)) * math.Pi / 4)
			}
			s0, c0 := turn(-0.5)
			s1, c1 := turn(0)
			s2, c2 := turn(0.5)
			s.corners = [4]paint.Point{{X: x, Y: y}, {X: x + in*c0, Y: y + in*s0}, {X: x + out*c1, Y: y + out*s1}, {X: x + in*c2, Y: y + in*s2}}
			p.Fill(s.corners[:], t)
		}
	}
	p.Disc(x-0.05*r, y-0.05*r, 0.42*r, flake.Fade(0.85))
}

// drawPlayers draws standing players with an arm, and fallen players in the snow.
func (s *scene) drawPlayers(c *systems.Client) {
	p := &s.camera
	for _, k := range ecs.All[kid](c.View()) {
		x, y, t := float64(k.Pos.X), float64(k.Pos.Y), paint.Of(k.Owner.Client, c.ID())
		sin, cos := math.Sincos(float64(k.Head.Angle) * (2 * math.Pi / 65536))
		if k.Kid.Down(c.World()) {
			p.Disc(x, y, 2.6*game.Radius, flake.Fade(0.25))
			p.Box(x, y, 2.4*game.Radius, 1.3*game.Radius, 9, math.Atan2(sin, cos), t.Toward(flake, 0.45))
			p.Disc(x+cos*6, y+sin*6, game.Radius, flake.Fade(0.8))
			continue
		}
		if k.Kid.Hit > 0 { // invulnerable
			t = t.Fade(0.6)
		}
		p.Line(x, y, x+cos*(game.Radius+7), y+sin*(game.Radius+7), 7, t.Toward(paint.Black, 0.2))
		p.Ball(x, y, 2*game.Radius, t)
		p.Disc(x-cos*3, y-sin*3, 0.9*game.Radius, flake.Fade(0.5))
		if k.Owner.Client == c.ID() {
			p.Ring(x, y, 2.7*game.Radius, 2.5, paint.White.Fade(0.5))
		}
		if k.Score.Hits > 0 {
			p.Number(x, y-game.Radius, 6, int(k.Score.Hits), paint.White)
		}
	}
}

// drawBalls draws snowballs, and the predicted hit of a ball that touches a player on this screen. The server decides with
// the same function and the same picture, a round trip later.
func (s *scene) drawBalls(c *systems.Client) {
	p := &s.camera
	view := lagcomp.Of(c.View())
	for _, b := range ecs.All[ball](c.View()) {
		x, y := float64(b.Pos.X), float64(b.Pos.Y)
		if b.Owner.Client == c.ID() {
			if _, struck := game.Struck(view, b.Owner.Client, b.Pos); struck {
				p.Glow(x, y, 8*game.Flake, flake.Fade(0.7))
				continue
			}
		}
		p.Disc(x+3, y+8, 1.8*game.Flake, paint.Black.Fade(0.3))
		p.Ball(x, y, 2*game.Flake, flake)
	}
}
