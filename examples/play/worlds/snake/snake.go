package snake

import (
	"math"
	"strconv"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/examples/snake/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// Buttons.
const (
	left = 1 << iota
	right
	toMouse
)

// World is the game as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "snake",
		Help:     "A and D or arrows turn, or the mouse while its button is down: eat, and cut the others off; F3 shows the network",
		Protocol: game.Protocol,
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyA, Buttons: left}, {Key: ebiten.KeyArrowLeft, Buttons: left},
				{Key: ebiten.KeyD, Buttons: right}, {Key: ebiten.KeyArrowRight, Buttons: right},
			},
			Click: toMouse,
		},
		New: func(s *stage.Stage) stage.Scene {
			return &scene{stage: s, actors: map[components.NetID]*actor{}}
		},
	}
}

// scene is the field on the screen.
type scene struct {
	stage  *stage.Stage
	camera paint.Plane
	actors map[components.NetID]*actor
	own    *actor
	spine  [128]paint.Point // of the snake being drawn
	rings  [16]ring
	next   int
}

// snake is a row of the view.
type snake struct {
	ID    components.NetID
	Owner components.Owner
	Snake game.Snake
	Body  game.Body
}

// Configure implements [stage.Scene].
func (s *scene) Configure(config *systems.ClientConfig) {
	game.Listen(config, s.fallen)
	stage.Inputs(s.stage, config, func(c *systems.Client, in *game.Input) {
		held := s.stage.Controls.Held()
		if held&left != 0 {
			in.Turn--
		}
		if held&right != 0 {
			in.Turn++
		}
		if s.own == nil || in.Turn != 0 {
			return
		}
		x, y, steers := s.stage.Controls.Stick(false)
		if mx, my, ok := s.stage.Controls.Mouse(); ok && !steers && held&toMouse != 0 {
			at := s.camera.InWorld(mx, my)
			x, y, steers = at.X-s.own.x, at.Y-s.own.y, true
		}
		if off := math.Remainder(math.Atan2(y, x)-s.own.turn, 2*math.Pi); steers && math.Abs(off) > 0.08 {
			in.Turn = int8(math.Copysign(1, off))
		}
	})
}

// fallen handles a final death.
func (s *scene) fallen(f *game.Fallen) {
	who := s.actors[f.Who]
	if who == nil {
		return
	}
	who.final = finalFor
	switch by := s.actors[f.By]; {
	case by != nil:
		s.stage.Tell(by.name(), "stopped "+who.name(), by.tint)
	default:
		s.stage.Tell(who.name(), "hit the wall", who.tint)
	}
}

// Places implements [stage.Placed].
func (s *scene) Places() overlay.Places {
	return stage.PlacesOf(s.stage, func(p game.Snake) overlay.Point {
		return overlay.Point{X: float64(p.X), Y: float64(p.Y)}
	}, func(p overlay.Point) (x, y float64, ok bool) {
		x, y = s.camera.OnScreen(p.X, p.Y)
		return x, y, true
	})
}

// Draw implements [stage.Scene].
func (s *scene) Draw(c *systems.Client, to *paint.Canvas) {
	p, dt := &s.camera, s.stage.Step()
	p.LookWide(to, 50)
	if c != nil {
		s.update(c, dt)
	}
	if s.own != nil {
		p.Follow(s.own.x, s.own.y, dt)
	} else {
		p.X, p.Y = game.SizeX/2, game.SizeY/2
	}
	s.drawField(to)
	if c == nil {
		return
	}
	for _, f := range ecs.All[struct{ Food game.Food }](c.View()) {
		x, y := float64(f.Food.X), float64(f.Food.Y)
		p.Glow(x, y, 2.6, paint.Fair.Fade(0.45))
		p.Disc(x, y, 0.7, paint.Fair)
	}
	for _, v := range ecs.All[snake](c.View()) {
		s.drawSnake(c, &v)
	}
	s.drawRings(dt)
	if s.own != nil {
		text := strconv.AppendInt(append(to.Bytes(), "length "...), int64(s.own.length), 10)
		text = strconv.AppendInt(append(text, "   kills "...), int64(s.own.kills), 10)
		s.stage.Score(text, paint.Own)
	}
}

// drawField draws the ground and the deadly wall.
func (s *scene) drawField(to *paint.Canvas) {
	const cell = 4
	p := &s.camera
	to.Backdrop(paint.Background)
	p.Box(game.SizeX/2, game.SizeY/2, game.SizeX, game.SizeY, 0, 0, paint.Floor)
	for x := cell; x < game.SizeX; x += cell {
		p.Line(float64(x), 0, float64(x), game.SizeY, 0.06, paint.GridLine)
	}
	for y := cell; y < game.SizeY; y += cell {
		p.Line(0, float64(y), game.SizeX, float64(y), 0.06, paint.GridLine)
	}
	corners := [...]paint.Point{{}, {X: game.SizeX}, {X: game.SizeX, Y: game.SizeY}, {Y: game.SizeY}, {}}
	p.Path(corners[:], 0.9, paint.Wall.Fade(0.35))
	p.Path(corners[:], 0.35, paint.Wall)
}
