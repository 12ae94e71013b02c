package lagcomp_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// size is the radius of a target.
const size = 0.5

// aimed is what a shot along a direction does in a view: which target it hits first,
// 0 for none, and by how much the decision was missed by the closest one.
func aimed(view lagcomp.View, client uint32, dx, dy float32) (hit components.NetID, margin float64) {
	type mine struct {
		Of components.Owner
		At spot
	}
	var from spot
	for _, m := range lagcomp.All[mine](view) {
		if m.Of.Client == client {
			from = m.At
		}
	}
	margin = math.Inf(1)
	nearest := math.Inf(1)
	for e, v := range lagcomp.All[target](view) {
		x, y := float64(v.At.X-from.X), float64(v.At.Y-from.Y)
		along, aside := x*float64(dx)+y*float64(dy), math.Abs(y*float64(dx)-x*float64(dy))
		margin = min(margin, math.Abs(aside-size))
		if along > 0 && aside < size && along < nearest {
			margin = min(margin, math.Abs(along-nearest))
			nearest, hit = along, view.NetID(e)
		}
	}
	return hit, margin
}

// shotKey names a shot.
type shotKey struct {
	client uint32
	shot   uint16
}

// shot is what came of one, on the screen and on the server.
type shot struct {
	screen, server components.NetID
	margin         float64
	judged         bool
	clamp          lagcomp.Clamp
	ghost          bool // what was hit on the screen is not in the view
}

// duel is a match in which everybody shoots at what is on the screen.
type duel struct {
	shots map[shotKey]*shot
	log   *lagcomp.Log[spot]
	comp  *lagcomp.Compensator
}

// fight plays a duel. forge, where it is given, is what a client says that lies.
func fight(t *testing.T, seed uint64, link netsys.Link, c lagcomp.Config, forge func(k *systemstest.Client, honest lagcomp.Claim) lagcomp.Claim) *duel {
	d := &duel{shots: map[shotKey]*shot{}, log: lagcomp.NewLog[spot](64)}
	n := uint16(0)
	crowd, comp := match(t, seed, 2, 20, link, c, systemstest.Play(func(k *systemstest.Client, in *trigger) {
		in.DX, in.DY = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1)
		view := k.View()
		in.Seen = claimed(view)
		honest := in.Seen
		if forge != nil {
			in.Seen = forge(k, honest)
		}
		if k.Input()%7 != 0 || !honest.Made() {
			return
		}
		seen := lagcomp.Of(view)
		own, ok := k.Own(view)
		if !ok {
			return
		}
		me := ecs.Get[spot](view, own)
		// At one of those on the screen, more or less.
		var at spot
		pick := k.Rand().IntN(20)
		for _, v := range lagcomp.All[target](seen) {
			if pick--; pick <= 0 {
				at = v.At
				break
			}
		}
		a := math.Atan2(float64(at.Y-me.Y), float64(at.X-me.X)) + (k.Rand().Float64()-0.5)/8
		in.AimX, in.AimY = float32(math.Cos(a)), float32(math.Sin(a))
		n++
		in.Fire, in.Shot = n != 0, n
		s := &shot{}
		s.screen, s.margin = aimed(seen, k.ID(), in.AimX, in.AimY)
		d.shots[shotKey{k.ID(), n}] = s
	}))
	d.comp = comp
	judge := func(w *ecs.World) {
		for _, p := range ecs.Each[shooter](w) {
			view := comp.As(p.Of.Client, p.In.Seen)
			s := d.shots[shotKey{p.Of.Client, p.In.Shot}]
			if !p.In.Fire || s == nil {
				continue
			}
			s.judged, s.clamp = true, view.Clamp()
			s.server, _ = aimed(view, p.Of.Client, p.In.AimX, p.In.AimY)
			if e, ok := view.ByNetID(s.screen); ok {
				d.log.Note(view, e, s.server == s.screen)
			} else {
				s.ghost = s.screen != 0
			}
		}
	}
	ecs.SetResource(crowd.Server.World(), &judge)
	crowd.Connect()
	crowd.Run(3 * time.Second)
	clear(d.shots)
	crowd.Run(20 * time.Second)
	return d
}

// count is how the shots of a duel ended.
type count struct{ judged, hits, refused, granted, other, close, ghosts int }

// close shots are those that a rounding decides.
const rounding = maxSpeed/lagcomp.Parts + 1e-3

func (d *duel) count() (n count) {
	for _, s := range d.shots {
		switch {
		case !s.judged:
			continue
		case s.margin < rounding:
			n.close++
			continue
		case s.ghost: // see seeSame
			n.ghosts++
			continue
		}
		n.judged++
		if s.screen != 0 {
			n.hits++
		}
		switch {
		case s.screen == s.server:
		case s.server == 0:
			n.refused++
		case s.screen == 0:
			n.granted++
		default:
			n.other++
		}
	}
	return n
}

// At a round trip of 200 ms every hit on the shooter's screen is a hit on the server,
// and none that missed is one. Without compensation it is another game.
//
//mutant:rule E5 systems/lagcomp/blend.go
//mutant:from f.comp.Schema.Lerp(at, at, later, b.part)
//mutant:to f.comp.Schema.Lerp(at, at, later, 1)
//mutant:rule E5 systems/lagcomp/view.go
//mutant:from s.own = c.ownedNow(client)
//mutant:to s.own = nil
func TestNetcodeE5_ADuel(t *testing.T) {
	for _, l := range []netsys.Link{
		{},
		systemstest.RoundTrip(200*time.Millisecond, 0, 0),
		systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
	} {
		t.Run(fmt.Sprint(2*l.Latency, l.Jitter, l.Loss), func(t *testing.T) {
			systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
				d := fight(t, seed, l, lagcomp.Config{}, nil)
				n := d.count()
				off := fight(t, seed, l, lagcomp.Config{Off: true}, nil).count()
				t.Logf("%+v; without %+v; %+v", n, off, d.comp.Stats())
				if n.refused+n.granted+n.other > 0 || n.judged < 200 || n.hits < 50 || n.close > n.judged/20 || n.ghosts > n.hits/100 {
					t.Errorf("%+v", n)
					for s := range d.log.All() {
						if !s.Hit {
							t.Logf("%+v", s)
						}
					}
				}
				if wrong := off.refused + off.other; wrong < off.hits/3 {
					t.Errorf("without compensation %d of %d hits are refused", wrong, off.hits)
				}
			})
		})
	}
}
