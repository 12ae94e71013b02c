package platformer

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems"
)

// figure is the scene's state of a character.
type figure struct {
	at       paint.Vec // drawn position of the feet, smoothed on steps
	turn     float64   // drawn direction in degrees
	speed    float64   // relative to the ground
	stride   float64   // phase of the legs in radians
	air      float64   // 0 on the ground to 1 in the air
	coins    uint16
	tint     paint.Tint
	own, saw bool
}

// update updates the scene from the view and returns the own character.
func (s *scene) update(c *systems.Client, dt float64) (own *figure) {
	for _, f := range s.figures {
		f.saw = false
	}
	for _, p := range ecs.All[player](c.View()) {
		f := s.figures[p.ID]
		at := vec(p.Body.World(s.time))
		if f == nil {
			f = &figure{at: at}
			s.figures[p.ID] = f
		}
		f.move(at, &p.Body, dt)
		f.saw, f.own, f.tint = true, p.Owner.Client == c.ID(), paint.Of(p.Owner.Client, c.ID())
		if f.own {
			own = f
		}
	}
	for id, f := range s.figures {
		if !f.saw {
			delete(s.figures, id)
		}
	}
	return own
}

// move moves the figure to its body, smoothly where the body jumps.
func (f *figure) move(at paint.Vec, b *game.Body, dt float64) {
	up := at.Y - f.at.Y
	f.at.X, f.at.Z = at.X, at.Z
	if b.On != game.InAir && math.Abs(up) < 0.5 {
		up *= 1 - math.Exp(-20*dt)
	}
	f.at.Y += up
	off := math.Mod(float64(b.Turn)-f.turn+900, 360) - 180
	f.turn += off * (1 - math.Exp(-16*dt))
	f.speed = math.Hypot(float64(b.Vel.X), float64(b.Vel.Z))
	inAir := 0.0
	if b.On == game.InAir {
		inAir = 1
	} else {
		f.stride += f.speed * dt * 2.6
	}
	f.air += (inAir - f.air) * (1 - math.Exp(-14*dt))
	f.coins = b.Coins
}

// drawFigures draws all characters with their shadows.
func (s *scene) drawFigures(c *systems.Client) {
	for _, p := range ecs.All[player](c.View()) {
		if f := s.figures[p.ID]; f != nil {
			ground := s.ground(f.at)
			s.space.Shadow(paint.Vec{X: f.at.X, Y: ground + 0.02, Z: f.at.Z}, 0.9, 0.45/(1+0.4*(f.at.Y-ground)))
			s.drawFigure(f, f.tint, 1)
		}
	}
}

// drawGhost draws the own character's position on the server, which is a round trip and a buffer behind.
func (s *scene) drawGhost(c *systems.Client, own *figure) {
	s.ghost = 0
	e, ok := c.Own(c.View())
	if !ok || own == nil {
		return
	}
	b, ok := systems.Confirmed[game.Body](c, e)
	if !ok {
		return
	}
	f := figure{at: vec(b.World(s.time)), turn: float64(b.Turn), stride: own.stride}
	s.ghost, s.ghostAt = min(max(f.at.Sub(own.at).Long()-0.3, 0), 1), f.at.Add(paint.Vec{Y: 1.5})
	if s.ghost > 0 {
		s.drawFigure(&f, paint.White, 0.35*s.ghost)
	}
}

// drawFigure draws a character: legs that swing, body, arms, a head with eyes.
func (s *scene) drawFigure(f *figure, t paint.Tint, alpha float64) {
	yaw := (f.turn + 90) * math.Pi / 180
	sin, cos := math.Sincos(yaw)
	ahead, aside, up := paint.Vec{X: sin, Z: cos}, paint.Vec{X: cos, Z: -sin}, paint.Vec{Y: 1}
	part := func(forward, right, high float64, size paint.Vec, t paint.Tint) {
		at := f.at.Add(ahead.Times(forward)).Add(aside.Times(right)).Add(up.Times(high))
		s.space.Box(at, size, yaw, t.Fade(alpha))
	}
	swing := math.Sin(f.stride) * min(f.speed/5, 1) * 0.24 * (1 - f.air)
	dark, skin := t.Toward(paint.Black, 0.45), t.Toward(paint.White, 0.55)
	for _, side := range [...]float64{-1, 1} {
		lift := max(swing*side, 0)*0.5 + f.air*(0.06+0.05*side)
		part(swing*side+f.air*0.12*side, 0.14*side, 0.18+lift, paint.Vec{X: 0.2, Y: 0.36, Z: 0.26}, dark)
		part(-swing*side, 0.34*side, 0.68+f.air*0.22, paint.Vec{X: 0.13, Y: 0.38, Z: 0.16}, t.Toward(paint.Black, 0.2))
	}
	part(0, 0, 0.62, paint.Vec{X: 0.52, Y: 0.52, Z: 0.34}, t)
	part(0, 0, 1.14, paint.Vec{X: 0.46, Y: 0.46, Z: 0.46}, skin)
	for _, side := range [...]float64{-1, 1} {
		part(0.245, 0.11*side, 1.17, paint.Vec{X: 0.08, Y: 0.12, Z: 0.02}, paint.Black)
	}
}

// ground returns the height of the highest surface below a place.
func (s *scene) ground(at paint.Vec) float64 {
	top := -20.0
	for i := range game.Solids {
		b := &game.Solids[i]
		x, z := float32(at.X), float32(-at.Z)
		if y := float64(b.Top(x)); x > b.Min.X && x < b.Max.X && z > b.Min.Z && z < b.Max.Z && y < at.Y+0.3 {
			top = max(top, y)
		}
	}
	for i := range game.Platforms {
		p := &game.Platforms[i]
		m := vec(p.At(s.time))
		if math.Abs(at.X-m.X) < game.Half && math.Abs(at.Z-m.Z) < game.Half && m.Y < at.Y+0.3 {
			top = max(top, m.Y)
		}
	}
	return top
}
