package arena

import (
	"cmp"
	"math"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
)

// thing is an entity in the view.
type thing struct {
	Owner  components.Owner `ecs:"optional"`
	Pos    components.Position
	Head   components.Heading
	Health components.Health
	Is     game.Fighter
	Who    game.Player `ecs:"optional"`
}

// actor is the scene's state of an entity.
type actor struct {
	id      components.NetID
	client  uint32 // owner; 0: the server
	own     bool
	x, y    float64
	turn    float64
	health  int
	down    bool
	shots   uint8
	name    components.Text[[16]byte]
	kills   int
	shown   float64 // displayed health, which follows slowly
	flash   float64 // remaining time of the flash after a hit, in seconds
	kick    float64 // remaining time of the recoil after a shot, in seconds
	grown   float64 // 0 to 1 after it has appeared
	seen    uint64  // frame
	colour  paint.Tint
	downFor float64 // seconds
}

// effect is something short: a tracer, a spark, a ring.
type effect struct {
	kind         effectKind
	x, y, dx, dy float64 // dx, dy: end of a tracer, speed of a spark
	age, life    float64 // seconds
	size         float64
	t            paint.Tint
}

type effectKind uint8

const (
	noEffect effectKind = iota
	tracer
	spark
	burst
)

// scene is the drawn world, in world units.
type scene struct {
	actors  map[components.NetID]*actor
	list    []*actor
	frame   uint64
	own     *actor
	camera  paint.Plane
	effects [384]effect
	next    int
	random  uint32

	stage    *stage.Stage
	to       *paint.Canvas   // of this frame
	client   *systems.Client // of the newest frame with a session
	messages *game.Messages
	named    bool   // the server knows the player's name
	aim      uint16 // last aim of keys or thumbs
	fed      bool   // the number of kills is known
	told     uint16 // kills
	verdicts verdicts
}

func newScene(s *stage.Stage) *scene {
	return &scene{actors: make(map[components.NetID]*actor), random: 1, stage: s, messages: game.NewMessages()}
}

// reset clears the scene for a new session.
func (s *scene) reset() {
	clear(s.actors)
	s.list, s.own, s.fed, s.named = s.list[:0], nil, false, false
	s.camera.Reset()
}

// update updates the scene from the view.
func (s *scene) update(c *systems.Client, dt float64) {
	view := c.View()
	if view == nil {
		return
	}
	if c != s.client {
		s.reset()
		s.client = c
	}
	s.frame++
	s.own = nil
	for e, t := range ecs.All[thing](view) {
		s.take(view, e, &t, c.ID(), dt)
	}
	s.list = s.list[:0]
	for id, a := range s.actors {
		if a.seen != s.frame {
			delete(s.actors, id)
			continue
		}
		s.list = append(s.list, a)
	}
	slices.SortFunc(s.list, func(a, b *actor) int { return cmp.Compare(a.id, b.id) }) // a fixed drawing order
	for _, a := range s.list {
		s.fire(a)
	}
	s.age(dt)
	s.follow(dt)
}

// take updates one entity.
func (s *scene) take(view *ecs.World, e ecs.Entity, t *thing, self uint32, dt float64) {
	id := view.NetID(e)
	a := s.actors[id]
	x, y := float64(t.Pos.X), float64(t.Pos.Y)
	if a == nil {
		a = &actor{id: id, shots: t.Is.Shots, shown: float64(t.Health.Points), health: int(t.Health.Points), down: t.Is.Down}
		s.actors[id] = a
	}
	if a.client = t.Owner.Client; a.client != 0 {
		a.colour = paint.Of(a.client, self)
	} else {
		a.colour = droneColour
	}
	a.own = a.client == self
	if a.own {
		s.own = a
	}
	health := int(t.Health.Points)
	if health < a.health-1 {
		a.flash = flashTime
	}
	switch {
	case t.Is.Down && !a.down:
		s.explode(a)
		a.downFor = 0
	case !t.Is.Down && a.down:
		a.grown, a.shown = 0, float64(health)
		s.add(effect{kind: burst, x: x, y: y, life: 0.5, size: 60, t: a.colour})
	}
	a.downFor += dt
	a.seen, a.x, a.y, a.turn, a.health, a.down = s.frame, x, y, angle(t.Head.Angle), health, t.Is.Down
	a.name, a.kills = t.Who.Name, int(t.Who.Kills)
	a.shown += (float64(health) - a.shown) * (1 - math.Exp(-dt*12))
	a.flash, a.kick = max(a.flash-dt, 0), max(a.kick-dt, 0)
	a.grown = min(a.grown+dt/0.3, 1)
	if shots := t.Is.Shots - a.shots; shots != 0 {
		a.shots = t.Is.Shots
		if shots < 16 && !a.down {
			a.kick = kickTime
		}
	}
}

const (
	flashTime = 0.16
	kickTime  = 0.09
)

// fire draws the shot that an actor has just fired.
func (s *scene) fire(a *actor) {
	if a.kick != kickTime {
		return
	}
	sin, cos := math.Sincos(a.turn)
	reach := float64(game.Range)
	var hit *actor
	for _, b := range s.list {
		if b == a || b.down {
			continue
		}
		dx, dy := b.x-a.x, b.y-a.y
		along, across := dx*cos+dy*sin, math.Abs(dy*cos-dx*sin)
		if along > 0 && across <= game.Radius && along < reach {
			reach, hit = along, b
		}
	}
	x, y := a.x+cos*reach, a.y+sin*reach
	s.add(effect{kind: tracer, x: a.x + cos*24, y: a.y + sin*24, dx: x, dy: y, life: 0.13, size: 7, t: a.colour.Toward(paint.White, 0.35)})
	if hit != nil {
		for range 5 {
			s.spark(x-cos*10, y-sin*10, 150, 0.25, hit.colour.Toward(paint.White, 0.5))
		}
	}
}

// explode shows the destruction of an actor.
func (s *scene) explode(a *actor) {
	s.add(effect{kind: burst, x: a.x, y: a.y, life: 0.45, size: 120, t: a.colour})
	for range 26 {
		s.spark(a.x, a.y, 320, 0.7, a.colour.Toward(paint.White, s.uniform()*0.5))
	}
}

func (s *scene) spark(x, y, speed, life float64, t paint.Tint) {
	sin, cos := math.Sincos(s.uniform() * 2 * math.Pi)
	v := speed * (0.25 + 0.75*s.uniform())
	s.add(effect{kind: spark, x: x, y: y, dx: cos * v, dy: sin * v, life: life * (0.5 + 0.5*s.uniform()), size: 3 + 4*s.uniform(), t: t})
}

func (s *scene) add(e effect) {
	s.effects[s.next] = e
	s.next = (s.next + 1) % len(s.effects)
}

// uniform draws from 0 to 1, for looks only.
func (s *scene) uniform() float64 {
	s.random = s.random*1664525 + 1013904223
	return float64(s.random>>8) / (1 << 24)
}

func (s *scene) age(dt float64) {
	for i := range s.effects {
		e := &s.effects[i]
		if e.kind == noEffect {
			continue
		}
		if e.age += dt; e.age >= e.life {
			e.kind = noEffect
			continue
		}
		if e.kind == spark {
			e.x += e.dx * dt
			e.y += e.dy * dt
			slow := math.Exp(-dt * 3.5)
			e.dx, e.dy = e.dx*slow, e.dy*slow
		}
	}
}

// follow moves the camera after the own player.
func (s *scene) follow(dt float64) {
	if s.own != nil {
		s.camera.Follow(s.own.x, s.own.y, dt)
	} else if s.camera.X == 0 && s.camera.Y == 0 {
		s.camera.X, s.camera.Y = game.Size/2, game.Size/2
	}
}

// angle is a binary angle in radians.
func angle(a uint16) float64 { return float64(a) * (2 * math.Pi / 65536) }
