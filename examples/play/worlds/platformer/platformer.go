package platformer

import (
	"math"
	"strconv"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// Buttons.
const (
	forward = 1 << iota
	back
	left
	right
	jump
	turnLeft
	turnRight
)

// World is the platformer as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "platformer",
		Help:     "W A S D or arrows walk, Space jumps, the mouse turns the camera while it is dragged, Q and E do so too; F3 shows the network",
		Protocol: game.Protocol,
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyW, Buttons: forward}, {Key: ebiten.KeyArrowUp, Buttons: forward},
				{Key: ebiten.KeyS, Buttons: back}, {Key: ebiten.KeyArrowDown, Buttons: back},
				{Key: ebiten.KeyA, Buttons: left}, {Key: ebiten.KeyArrowLeft, Buttons: left},
				{Key: ebiten.KeyD, Buttons: right}, {Key: ebiten.KeyArrowRight, Buttons: right},
				{Key: ebiten.KeySpace, Buttons: jump}, {Key: ebiten.KeyQ, Buttons: turnLeft}, {Key: ebiten.KeyE, Buttons: turnRight},
			},
			Walk: [4]uint32{forward, back, left, right},
			Turn: true,
			Pads: []stage.Pad{{Name: "jump", Buttons: jump}},
		},
		New: func(s *stage.Stage) stage.Scene {
			return &scene{stage: s, figures: map[components.NetID]*figure{}, eye: paint.Vec{X: -9, Y: 6, Z: -8}, pitch: -0.32}
		},
	}
}

// scene is the level on the screen.
type scene struct {
	stage   *stage.Stage
	space   paint.Space
	time    float64 // time of the drawn level in seconds
	yaw     float64 // of the camera, in degrees as in game.Input
	pitch   float64 // radians
	turned  float64 // seconds since the player turned the camera
	eye     paint.Vec
	jumped  bool      // the key was down in the tick before
	ghost   float64   // 0 to 1, how visible
	ghostAt paint.Vec // over its head
	figures map[components.NetID]*figure
	sparks  [24]spark
	next    int
}

// player is a row of the view.
type player struct {
	ID    components.NetID
	Owner components.Owner
	Body  game.Body
}

// Configure implements [stage.Scene].
func (s *scene) Configure(config *systems.ClientConfig) {
	game.Listen(config, s.taken)
	stage.Inputs(s.stage, config, func(_ *systems.Client, in *game.Input) {
		held := s.stage.Controls.Held()
		in.Forward, in.Right = axis(held, back, forward), axis(held, left, right)
		in.Yaw = float32(math.Mod(math.Round(s.yaw)+720, 360))
		in.Jump = held&jump != 0 && !s.jumped
		if s.stage.Ticking() {
			s.jumped = held&jump != 0
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

// taken handles the collection of a coin.
func (s *scene) taken(t *game.Taken) {
	colour := gold
	if t.Coin == 0 {
		colour = paint.White
		s.stage.Tell("", "the bell rings", gold)
	}
	s.sparks[s.next] = spark{at: vec(game.Coins[int(t.Coin)%len(game.Coins)]), life: sparkLife, tint: colour}
	s.next = (s.next + 1) % len(s.sparks)
}

// Places implements [stage.Placed].
func (s *scene) Places() overlay.Places {
	return stage.PlacesOf(s.stage, func(b game.Body) overlay.Point {
		at := b.World(s.time)
		return overlay.Point{X: float64(at.X), Y: float64(at.Z)}
	}, func(p overlay.Point) (x, y float64, ok bool) {
		x, y, _, ok = s.space.OnScreen(paint.Vec{X: p.X, Z: -p.Y})
		return x, y, ok
	})
}

// vec converts a position of the level for package paint, where z points south.
func vec(v game.Vec) paint.Vec { return paint.Vec{X: float64(v.X), Y: float64(v.Y), Z: -float64(v.Z)} }

// Draw implements [stage.Scene].
func (s *scene) Draw(c *systems.Client, to *paint.Canvas) {
	dt := s.stage.Step()
	s.tick(c, dt)
	var own *figure
	if c != nil {
		own = s.update(c, dt)
	}
	s.look(own, dt)
	s.space.Look(to)
	s.drawLevel()
	if c != nil {
		s.drawCoins(c)
		s.drawFigures(c)
		s.drawGhost(c, own)
	}
	s.drawSparks(dt)
	s.space.Draw()
	if s.ghost > 0 {
		s.space.Label(s.ghostAt, 4, "on the server", paint.White.Fade(s.ghost))
	}
	if own != nil {
		s.stage.Score(strconv.AppendInt(append(to.Bytes(), "coins "...), int64(own.coins), 10), gold)
	}
}

// tick advances the time of the drawn level smoothly to that of the client's own character.
func (s *scene) tick(c *systems.Client, dt float64) {
	s.time += dt
	if c == nil {
		return
	}
	w := c.World()
	off := float64(w.Tick()+1)/float64(w.TickRate()) - s.time
	if math.Abs(off) > 0.2 {
		s.time += off
	}
	s.time += off * min(4*dt, 1)
}

// look moves the camera behind the own character.
func (s *scene) look(own *figure, dt float64) {
	dx, dy := s.stage.Controls.Look()
	held := s.stage.Controls.Held()
	dx += 600 * dt * float64(axis(held, turnLeft, turnRight))
	s.yaw = math.Mod(s.yaw+dx*0.25+360, 360)
	s.pitch = min(max(s.pitch-dy*0.004, -1.2), 0.2)
	if s.turned += dt; dx != 0 || dy != 0 {
		s.turned = 0
	}
	at := paint.Vec{Y: 1}
	if own != nil {
		at = own.at.Add(paint.Vec{Y: 1.3})
		if off := math.Mod(own.turn-s.yaw+540, 360) - 180; s.turned > 1.5 && own.speed > 1 && math.Abs(off) < 130 {
			s.yaw += 70 * dt * math.Sin(off*math.Pi/180)
		}
	}
	sin, cos := math.Sincos(s.yaw * math.Pi / 180)
	ps, pc := math.Sincos(s.pitch)
	const far = 7.5
	want := at.Sub(paint.Vec{X: cos * pc, Y: ps, Z: -sin * pc}.Times(far))
	s.eye = s.eye.Add(want.Sub(s.eye).Times(1 - math.Exp(-14*dt)))
	p := &s.space
	p.Sky, p.Far, p.Field, p.Eye = sky, 75, 1.05, s.eye
	p.At(at)
}
