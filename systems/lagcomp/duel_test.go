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

// aimed is what a shot along a direction does in a view: which target it hits first, 0
// for none.
func aimed(view lagcomp.View, client uint32, dx, dy float32) (hit components.NetID) {
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
	nearest := math.Inf(1)
	for e, v := range lagcomp.All[target](view) {
		x, y := float64(v.At.X-from.X), float64(v.At.Y-from.Y)
		along, aside := x*float64(dx)+y*float64(dy), math.Abs(y*float64(dx)-x*float64(dy))
		if along > 0 && aside < size && along < nearest {
			nearest, hit = along, view.NetID(e)
		}
	}
	return hit
}

// shotKey names a shot.
type shotKey struct {
	client uint32
	shot   uint16
}

// shot is what came of one, on the screen and on the server.
type shot struct {
	screen, server components.NetID
	judged         bool
	clamp          lagcomp.Clamp
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
		in.Seen = k.Claim(true)
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
		s.screen = aimed(seen, k.ID(), in.AimX, in.AimY)
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
			s.server = aimed(view, p.Of.Client, p.In.AimX, p.In.AimY)
			if e, ok := view.ByNetID(s.screen); ok {
				d.log.Note(view, e, s.server == s.screen)
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
type count struct{ judged, hits, refused, granted, other int }

func (d *duel) count() (n count) {
	for _, s := range d.shots {
		if !s.judged {
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
func TestNetcodeE5_ADuel(t *testing.T) {
	for _, l := range []netsys.Link{
		{},
		systemstest.RoundTrip(200*time.Millisecond, 0, 0),
		systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
	} {
		t.Run(fmt.Sprint(2*l.Latency, l.Jitter, l.Loss), func(t *testing.T) {
			systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
				d := fight(t, seed, l, lagcomp.Config{}, nil)
				n := d.count()
				t.Logf("%+v; %+v", n, d.comp.Stats())
				if n.refused+n.granted+n.other > 0 || n.judged < 200 || n.hits < 50 {
					t.Errorf("%+v", n)
					for s := range d.log.All() {
						if !s.Hit {
							t.Logf("%+v", s)
						}
					}
				}
				if seed > 1 {
					return
				}
				off := fight(t, seed, l, lagcomp.Config{Off: true}, nil).count()
				if wrong := off.refused + off.other; wrong < off.hits/3 {
					t.Errorf("without compensation %d of %d hits are refused", wrong, off.hits)
				}
			})
		})
	}
}
