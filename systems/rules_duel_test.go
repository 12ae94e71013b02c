package systems_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The yard is the world of the duels: players walk, and shoot at each other and at
// dummies that zigzag. What is hit three times is destroyed, and another one comes.

// Stance is where somebody stands.
type Stance struct {
	X, Y float32 `net:"-64..64 step 0.001"`
}

// Body counts hits.
type Body struct {
	Hits uint8 `net:"0..3"`
}

// Rifle is the input. Shot numbers the shots.
type Rifle struct {
	DX, DY int8    `net:"-1..1"`
	Fire   bool    `net:"edge"`
	Aim    float32 `net:"raw"`
	Shot   uint16  `net:"raw"`
	Seen   lagcomp.Claim
}

// Course is how a dummy goes.
type Course struct {
	Phase  uint32
	DX, DY float32 // units in a tick
}

// referee decides about the shots of a tick, on the server.
type referee func(w *ecs.World)

// Armor is for what nothing harms.
type Armor struct{}

// radius is that of a body, and stride how far a player walks in a tick.
const (
	radius = 0.5
	stride = 0.1
)

type shooter struct {
	At  *Stance
	Own *components.Owner
	In  *Rifle
}

// target is what can be hit.
type target struct {
	At   Stance
	Body Body
	Own  components.Owner `ecs:"optional"`
}

func yard() *ecs.Protocol {
	p := ecs.NewProtocol("yard/1")
	ecs.Replicate[Stance](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Body](p, 0)
	ecs.Input[Rifle](p)
	ecs.Local[Course](p, 0)
	ecs.Local[Armor](p, 0)
	p.Simulate("fire", func(w *ecs.World) {
		if judge := ecs.Resource[referee](w); judge != nil {
			(*judge)(w)
		}
	})
	p.Simulate("stroll", func(w *ecs.World) {
		for _, s := range ecs.Each[shooter](w) {
			s.At.X = min(max(s.At.X+float32(s.In.DX)*stride, -20), 20)
			s.At.Y = min(max(s.At.Y+float32(s.In.DY)*stride, -20), 20)
		}
	})
	p.Authority("zigzag", func(w *ecs.World) {
		for _, d := range ecs.Each[struct {
			At *Stance
			Do *Course
		}](w) {
			if (w.Tick()+d.Do.Phase)%40 < 20 {
				d.At.X, d.At.Y = d.At.X+d.Do.DX, d.At.Y+d.Do.DY
			} else {
				d.At.X, d.At.Y = d.At.X-d.Do.DX, d.At.Y+d.Do.DY/4
			}
			if d.At.Y > 20 {
				d.At.Y = -20
			}
		}
	})
	return p
}

func joinYard(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, Stance{X: float32(client)}, Body{}, Rifle{})
}

func dummies(n int) func(*ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			a := float64(i) * 2.4
			w.Spawn(Stance{X: float32(i%7)*5 - 15, Y: float32(i/7)*6 - 15}, Body{},
				Course{Phase: uint32(13 * i), DX: float32(math.Cos(a)) / 8, DY: float32(math.Sin(a)) / 8})
		}
	}
}

// aimed is whom a shot hits in a view: the first along the way, 0 for nobody.
func aimed(v lagcomp.View, client uint32, aim float32) (hit components.NetID) {
	var from Stance
	for _, m := range lagcomp.All[target](v) {
		if m.Own.Client == client {
			from = m.At
		}
	}
	dx, dy := math.Cos(float64(aim)), math.Sin(float64(aim))
	nearest := math.Inf(1)
	for e, m := range lagcomp.All[target](v) {
		x, y := float64(m.At.X-from.X), float64(m.At.Y-from.Y)
		along, aside := x*dx+y*dy, math.Abs(y*dx-x*dy)
		if m.Own.Client != client && along > 0 && aside < radius && along < nearest {
			nearest, hit = along, v.NetID(e)
		}
	}
	return hit
}

// shot is what came of one, on the screen and on the server.
type shot struct {
	by             components.NetID // the shooter's body
	screen, server components.NetID
	seen           map[components.NetID]Stance // on the screen, without the shooter's own
	judged         bool
	gone           bool // what was hit on the server was destroyed by then
	clamp          lagcomp.Clamp
	drawn          float64
	oldest         uint32 // state that was looked at
	tick           uint32 // in which it was judged
	has            uint32 // newest tick whose state its client had by then
	differ         int    // of those seen, how many stand elsewhere in the view
}

type shotKey struct {
	client uint32
	number uint16
}

// duel is a match in the yard, and its referee.
type duel struct {
	*systemstest.Crowd
	shots  map[shotKey]*shot
	number uint16
	log    *lagcomp.Log[Stance]
	killed int
}

// yardConfig is a match in the yard. Own players are drawn where they are simulated, so
// that shots come from where the screen shows them.
func yardConfig(seed uint64, link netsys.Link, c lagcomp.Config) systemstest.Config {
	return systemstest.Config{
		Protocol: yard, Server: systems.ServerConfig{Join: joinYard, LagComp: &c},
		Populate: dummies(12), Clients: 3, Link: link, Seed: seed,
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Smoothing: interpolate.Smoothing{Off: true}}
		},
	}
}

// newDuel makes a match in which everybody shoots at what is on the screen, more or
// less. forge, where it is given, changes what a client does.
func newDuel(t *testing.T, config systemstest.Config, forge func(d *duel, k *systemstest.Client, in *Rifle)) *duel {
	d := &duel{shots: map[shotKey]*shot{}, log: lagcomp.NewLog[Stance](256)}
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
		in.DX, in.DY = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1)
		in.Fire = k.Input()%6 == 0
		in.Seen = k.Claim(in.Fire)
		if in.Fire {
			d.shoot(k, in)
		}
		if forge != nil {
			forge(d, k, in)
		}
	})
	d.Crowd = systemstest.New(t, config)
	judge := referee(d.judge)
	ecs.SetResource(d.Server.World(), &judge)
	return d
}

// shoot aims at one of those on the screen and notes what the screen shows.
func (d *duel) shoot(k *systemstest.Client, in *Rifle) {
	view := k.View()
	own, ok := k.Own(view)
	if !ok || !in.Seen.Made() {
		in.Fire = false
		return
	}
	me, s := *ecs.Get[Stance](view, own), &shot{by: view.NetID(own), seen: map[components.NetID]Stance{}}
	at, pick := me, k.Rand().IntN(12)
	for e, m := range ecs.All[target](view) {
		if m.Own.Client == k.ID() {
			continue
		}
		if pick--; pick >= 0 || at == me {
			at = m.At
		}
		s.seen[view.NetID(e)] = m.At
	}
	in.Aim = float32(math.Atan2(float64(at.Y-me.Y), float64(at.X-me.X)) + (k.Rand().Float64()-0.5)/6)
	d.number++
	in.Shot = d.number
	s.screen = aimed(lagcomp.Of(view), k.ID(), in.Aim)
	d.shots[shotKey{k.ID(), in.Shot}] = s
}

// judge decides about the shots of a tick.
func (d *duel) judge(w *ecs.World) {
	for e, p := range ecs.Each[shooter](w) {
		s := d.shots[shotKey{p.Own.Client, p.In.Shot}]
		if !p.In.Fire || s == nil || s.by != w.NetID(e) {
			continue // or the shooter was destroyed before the server came to this shot
		}
		view := lagcomp.As(w, p.Own.Client, p.In.Seen)
		s.judged, s.clamp, s.drawn, s.tick = true, view.Clamp(), view.Tick(), w.Tick()
		s.oldest, _ = view.States()
		s.has = d.client(p.Own.Client).ServerTick()
		s.server = aimed(view, p.Own.Client, p.In.Aim)
		others := 0
		s.differ = 0
		for e, m := range lagcomp.All[target](view) {
			if m.Own.Client == p.Own.Client {
				continue
			}
			others++
			if at, ok := s.seen[view.NetID(e)]; !ok || at != m.At {
				s.differ++
			}
		}
		s.differ += max(len(s.seen)-others, 0)
		if e, ok := view.ByNetID(s.screen); ok {
			d.log.Note(view, e, s.server == s.screen)
		}
		if e, ok := view.ByNetID(s.server); ok {
			s.gone = !w.Alive(e)
			d.hit(w, e)
		}
	}
}

func (d *duel) client(id uint32) *systemstest.Client {
	return d.Clients[slices.IndexFunc(d.Clients, func(k *systemstest.Client) bool { return k.ID() == id })]
}

// hit counts a hit, and destroys what had enough.
func (d *duel) hit(w *ecs.World, e ecs.Entity) {
	b := ecs.Get[Body](w, e)
	if b == nil || ecs.Has[Armor](w, e) {
		return
	}
	if b.Hits++; b.Hits < 3 {
		return
	}
	b.Hits = 0
	w.Despawn(e)
	d.killed++
	at := Stance{X: float32(d.killed%9)*4 - 16, Y: float32(d.killed%7)*5 - 15}
	if c := ecs.Get[Course](w, e); c != nil {
		w.Spawn(at, Body{}, *c)
	} else {
		w.Spawn(*ecs.Get[components.Owner](w, e), at, Body{}, Rifle{})
	}
}

// toll is how the shots of a duel ended.
type toll struct {
	judged, hits, destroyed int // hits on the screen, and of what was destroyed by then
	refused, granted, other int // hits and misses on the screen that were none, and others hit
	differ, clamped         int
}

func (n *toll) wrong() int { return n.refused + n.granted + n.other }

// fight plays for so many seconds once all is warm, and counts.
func (d *duel) fight(seconds int) (n toll) {
	d.Connect()
	d.Run(4 * time.Second)
	clear(d.shots)
	d.Run(time.Duration(seconds) * time.Second)
	return d.count(func(shotKey) bool { return true })
}

// count counts what some shot.
func (d *duel) count(of func(shotKey) bool) (n toll) {
	for key, s := range d.shots {
		if !s.judged || !of(key) {
			continue // those not judged are under way, or their shooter was destroyed
		}
		n.judged++
		n.differ += s.differ
		switch {
		case s.screen == s.server:
		case s.server == 0:
			n.refused++
		case s.screen == 0:
			n.granted++
		default:
			n.other++
		}
		if s.screen != 0 {
			n.hits++
		}
		if s.gone {
			n.destroyed++
		}
		if s.clamp != lagcomp.Believed {
			n.clamped++
		}
	}
	return n
}
