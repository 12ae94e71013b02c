package snake

import (
	"math"
	"strconv"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/snake/game"
	"github.com/tactusgo/tactus/systems"
)

// actor is the scene's state of a snake.
type actor struct {
	client        uint32
	x, y, turn    float64
	length, kills int
	tint          paint.Tint
	own, seen     bool
	dead, burst   bool
	fade          float64 // 0: alive, 1: completely faded
	grown         float64 // 0 to 1 after it has appeared
	final         float64 // remaining time in which a final death counts, in seconds
}

// finalFor is longer than the time between death and respawn, and shorter than the time between two deaths. The final death
// arrives before the drawn one, because other snakes are drawn in the past.
const finalFor = game.Away - 0.2

// name returns the name of the snake's player.
func (a *actor) name() string {
	if a.own {
		return "you"
	}
	return "snake " + strconv.Itoa(int(a.client))
}

// update updates the scene from the view.
func (s *scene) update(c *systems.Client, dt float64) {
	s.own = nil
	for _, a := range s.actors {
		a.seen = false
	}
	for _, v := range ecs.All[snake](c.View()) {
		a := s.actors[v.ID]
		if a == nil {
			a = &actor{client: v.Owner.Client}
			s.actors[v.ID] = a
		}
		a.own, a.seen = v.Owner.Client == c.ID(), true
		a.tint = paint.Of(v.Owner.Client, c.ID())
		s.follow(a, &v.Snake, dt)
		if a.own {
			s.own = a
		}
	}
	for id, a := range s.actors {
		if !a.seen {
			delete(s.actors, id)
		}
	}
}

// follow shows the state of a snake: a death that may be withdrawn, a withdrawn death, or a final death.
func (s *scene) follow(a *actor, v *game.Snake, dt float64) {
	dead := v.Dead > 0
	if a.dead && !dead {
		if a.final > 0 || a.burst {
			a.grown = 0
		} else {
			s.ring(ring{x: float64(v.X), y: float64(v.Y), size: 7, life: 1, tint: paint.Good, text: "withdrawn"})
		}
		a.burst = false
	}
	a.dead, a.x, a.y = dead, float64(v.X), float64(v.Y)
	a.turn = float64(v.Turn) * (2 * math.Pi / 65536)
	a.length, a.kills = int(v.Length), int(v.Kills)
	a.final -= dt
	a.grown = min(a.grown+3*dt, 1)
	switch {
	case !dead:
		a.fade = max(a.fade-6*dt, 0)
	case a.final > 0 || a.burst:
		if !a.burst {
			a.burst = true
			s.ring(ring{x: a.x, y: a.y, size: 9, life: 0.6, tint: a.tint})
		}
		a.fade = min(a.fade+1.6*dt, 1)
	default:
		a.fade = min(a.fade+5*dt, 0.55)
	}
}

// drawSnake draws a body as a smooth curve through its spots, thin towards the tail, and a head.
func (s *scene) drawSnake(c *systems.Client, v *snake) {
	a := s.actors[v.ID]
	if a == nil || a.fade >= 1 || !s.camera.Sees(a.x, a.y, 70) {
		return
	}
	n := s.bend(v, drawnTick(c, a.own))
	p, t := &s.camera, a.tint.Toward(paint.Floor, a.fade)
	for _, layer := range [...]struct {
		width float64
		t     paint.Tint
	}{{1.25, t.Toward(paint.Black, 0.55)}, {1, t.Toward(paint.Black, 0.12)}, {0.35, t.Toward(paint.White, 0.25)}} {
		for i := n - 2; i >= 0; i-- {
			thick := game.Width * a.grown * min(0.35+0.65*float64(n-1-i)/12, 1) * layer.width
			p.Line(s.spine[i].X, s.spine[i].Y, s.spine[i+1].X, s.spine[i+1].Y, thick, layer.t)
		}
	}
	s.drawHead(a, t)
}

// drawHead draws the head. Dead snakes have crossed eyes. A broken ring marks a death that is not final.
func (s *scene) drawHead(a *actor, t paint.Tint) {
	p, w := &s.camera, game.Width*a.grown
	sin, cos := math.Sincos(a.turn)
	if a.own && !a.dead {
		p.Glow(a.x, a.y, 5*w, t.Fade(0.35))
	}
	p.Disc(a.x, a.y, 1.4*w, t.Toward(paint.Black, 0.55))
	p.Disc(a.x, a.y, 1.2*w, t)
	for _, side := range [...]float64{-1, 1} {
		x, y := a.x+(0.22*cos-0.3*side*sin)*w, a.y+(0.22*sin+0.3*side*cos)*w
		if a.dead {
			p.Line(x-0.12*w, y-0.12*w, x+0.12*w, y+0.12*w, 0.07*w, paint.Black)
			p.Line(x-0.12*w, y+0.12*w, x+0.12*w, y-0.12*w, 0.07*w, paint.Black)
			continue
		}
		p.Disc(x, y, 0.4*w, paint.White)
		p.Disc(x+0.08*w*cos, y+0.08*w*sin, 0.2*w, paint.Black)
	}
	if a.dead && !a.burst {
		p.Ring(a.x, a.y, 2.6*w, 0.14, paint.Fair.Fade(0.9))
		p.Label(a.x, a.y, 26, "provisional", paint.Fair)
	}
}

// drawnTick returns the tick at which a snake is drawn: the present for the own snake, and the past for others.
func drawnTick(c *systems.Client, own bool) float64 {
	if own {
		return float64(c.World().Tick())
	}
	return c.DrawnTick()
}

// bend computes the spine of a snake: a curve through the head and the spots to the tip of the tail, which lies between two
// spots. It returns the number of points.
func (s *scene) bend(v *snake, tick float64) int {
	var spots [34]paint.Point
	spots[0], spots[1] = paint.Point{X: float64(v.Snake.X), Y: float64(v.Snake.Y)}, paint.Point{X: float64(v.Snake.X), Y: float64(v.Snake.Y)}
	n := 2 // the curve starts with a double point
	for k := range 31 {
		x, y, _ := v.Body.Nth(k, &v.Snake, 0)
		if x < 0 {
			break
		}
		at := paint.Point{X: float64(x), Y: float64(y)}
		left := (float64(v.Snake.Length)*game.Spacing - (tick - float64(v.Snake.Laid)) - float64(k)*game.Spacing) / game.Spacing
		if left <= 0 {
			if left > -1 {
				before := spots[n-1]
				spots[n], n = paint.Point{X: before.X + (at.X-before.X)*(1+left), Y: before.Y + (at.Y-before.Y)*(1+left)}, n+1
			}
			break
		}
		spots[n], n = at, n+1
	}
	spots[n] = spots[n-1]
	const pieces = 3
	count := 0
	for i := 1; i+1 < n; i++ {
		for k := range pieces {
			s.spine[count] = curve(spots[i-1], spots[i], spots[i+1], spots[i+2], float64(k)/pieces)
			count++
		}
	}
	s.spine[count] = spots[n-1]
	return count + 1
}

// curve returns a point between b and c on a smooth curve from a to d.
func curve(a, b, c, d paint.Point, f float64) paint.Point {
	mix := func(a, b, c, d float64) float64 {
		return b + 0.5*f*(c-a+f*(2*a-5*b+4*c-d+f*(3*(b-c)+d-a)))
	}
	return paint.Point{X: mix(a.X, b.X, c.X, d.X), Y: mix(a.Y, b.Y, c.Y, d.Y)}
}

// ring is a circle that grows and fades, with an optional word.
type ring struct {
	x, y, size, life float64
	age              float64
	tint             paint.Tint
	text             string
}

func (s *scene) ring(r ring) {
	s.rings[s.next] = r
	s.next = (s.next + 1) % len(s.rings)
}

// drawRings draws the rings and ages them.
func (s *scene) drawRings(dt float64) {
	for i := range s.rings {
		r := &s.rings[i]
		if r.age += dt; r.age >= r.life {
			continue
		}
		f := r.age / r.life
		s.camera.Ring(r.x, r.y, r.size*math.Sqrt(f), 0.3*(1-f)+0.05, r.tint.Fade(1-f))
		s.camera.Glow(r.x, r.y, r.size*1.2*math.Sqrt(f), r.tint.Fade(0.5*(1-f)))
		if r.text != "" {
			s.camera.Label(r.x, r.y, 30+20*f, r.text, r.tint.Fade(1-f*f))
		}
	}
}
