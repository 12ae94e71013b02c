package custom

import (
	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// Buttons.
const (
	up = 1 << iota
	down
	left
	right
)

// World is the yard as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "custom",
		Help:     "W A S D or arrows walk: ride the platforms, take the power-ups, push the others; F3 shows the network",
		Protocol: game.Protocol,
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyW, Buttons: up}, {Key: ebiten.KeyArrowUp, Buttons: up},
				{Key: ebiten.KeyS, Buttons: down}, {Key: ebiten.KeyArrowDown, Buttons: down},
				{Key: ebiten.KeyA, Buttons: left}, {Key: ebiten.KeyArrowLeft, Buttons: left},
				{Key: ebiten.KeyD, Buttons: right}, {Key: ebiten.KeyArrowRight, Buttons: right},
			},
			Walk: [4]uint32{up, down, left, right},
		},
		New: func(s *stage.Stage) stage.Scene { return &scene{stage: s, level: game.NewLevel(60)} },
	}
}

// scene is the yard on the screen.
type scene struct {
	stage  *stage.Stage
	level  *game.Level // where things are before there is a session
	camera paint.Plane
}

// player is a row of the view.
type player struct {
	Owner components.Owner
	Pos   components.Position
	Boost game.Boost
	Score game.Score
}

// powerUp is a row of the view.
type powerUp struct {
	Pos  components.Position
	Item game.PowerUp
}

// Configure implements [stage.Scene].
func (s *scene) Configure(config *systems.ClientConfig) {
	stage.Inputs(s.stage, config, func(_ *systems.Client, in *game.Input) {
		held := s.stage.Controls.Held()
		in.DX, in.DY = axis(held, left, right), axis(held, up, down)
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
		if e, ok := c.Own(c.View()); ok {
			at := ecs.Get[components.Position](c.View(), e)
			return paint.Point{X: float64(at.X), Y: float64(at.Y)}
		}
	}
	return paint.Point{X: game.SizeX / 2, Y: game.SizeY / 2}
}

// Draw implements [stage.Scene].
func (s *scene) Draw(c *systems.Client, to *paint.Canvas) {
	p := &s.camera
	p.LookAround(to, game.SizeX, game.SizeY, 60, s.own(c), s.stage.Step())
	p.Field(game.SizeX, game.SizeY, 50)
	tick := uint32(0)
	if c != nil {
		tick = uint32(c.DrawnTick())
	}
	s.drawLevel(tick)
	if c == nil {
		return
	}
	for _, u := range ecs.All[powerUp](c.View()) {
		if u.Item.ReadyAt <= tick {
			p.Glow(float64(u.Pos.X), float64(u.Pos.Y), 60, paint.Fair.Fade(0.5))
			p.Box(float64(u.Pos.X), float64(u.Pos.Y), 16, 16, 4, 0.785, paint.Fair)
		}
	}
	for _, v := range ecs.All[player](c.View()) {
		x, y, t := float64(v.Pos.X), float64(v.Pos.Y), paint.Of(v.Owner.Client, c.ID())
		if v.Boost.Left > 0 {
			p.Glow(x, y, 2.4*game.Width, t.Fade(0.6))
		}
		p.Ball(x, y, game.Width, t)
		if v.Owner.Client == c.ID() {
			p.Ring(x, y, 1.35*game.Width, 3, paint.White.Fade(0.5))
		}
		if n := v.Score.Points; n > 0 {
			p.Number(x, y-game.Width/2, 5, int(n), paint.White)
		}
	}
}

// drawLevel draws what stands and moves by the tick alone.
func (s *scene) drawLevel(tick uint32) {
	p := &s.camera
	for i := range s.level.Platforms {
		f := &s.level.Platforms[i]
		at := f.At(tick)
		p.Line(float64(f.From.X), float64(f.From.Y), float64(f.To.X), float64(f.To.Y), 4, paint.GridLine)
		p.Box(float64(at.X), float64(at.Y), float64(f.W), float64(f.H), 8, 0, paint.GridLine.Toward(paint.Wall, 0.5))
		p.Box(float64(at.X), float64(at.Y), float64(f.W)-8, float64(f.H)-8, 6, 0, paint.GridLine.Toward(paint.Wall, 0.25))
	}
	for _, b := range s.level.Walls {
		s.box(b, paint.Wall)
	}
	if d := &s.level.Door; d.Closed(tick) {
		s.box(d.Box, paint.Bad)
	} else {
		s.box(d.Box, paint.Bad.Fade(0.12))
	}
}

func (s *scene) box(b game.Box, t paint.Tint) {
	s.camera.Box(float64(b.X0+b.X1)/2, float64(b.Y0+b.Y1)/2, float64(b.X1-b.X0), float64(b.Y1-b.Y0), 2, 0, t)
}
