package game_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// marksman walks about and shoots at players on its screen, at the middle or slightly beside it, and records whom the screen
// showed in the way.
type marksman struct {
	draw  ecs.Rand
	walk  uint8
	tick  int
	shots map[uint8]components.NetID // by number; 0: nobody
	done  bool
}

// graze is by how much a shot must not touch, nor miss: places are sent as lines, which
// are off by up to a sixteenth of a unit on the screen, and as much in the server's view.
const graze = 0.13

// seen is a possible target on the screen.
type seen struct {
	Pos components.Position
	Is  game.Fighter
}

func (m *marksman) gather(c *systems.Client, in *game.Action) {
	if m.tick++; m.tick%20 == 0 {
		m.walk = uint8(m.draw.IntN(16))
	}
	in.Buttons = m.walk
	w := c.World()
	own, ok := c.Own(w)
	if !ok {
		return
	}
	view := c.View()
	mine, _ := view.ByNetID(w.NetID(own))
	from := *ecs.Get[components.Position](w, own)
	var at []components.Position
	for e, t := range ecs.All[seen](view) {
		dx, dy := t.Pos.X-from.X, t.Pos.Y-from.Y
		if e != mine && !t.Is.Down && dx*dx+dy*dy < game.Range*game.Range {
			at = append(at, t.Pos)
		}
	}
	gun, is := ecs.Get[game.Gun](w, own), ecs.Get[game.Fighter](w, own)
	if m.done || len(at) == 0 || gun.Wait > 1 || !c.Claim(true).Made() {
		return
	}
	target := at[m.draw.IntN(len(at))]
	if m.draw.IntN(2) == 0 {
		target.X += (m.draw.Float32() - 0.5) * 4 * game.Radius
		target.Y += (m.draw.Float32() - 0.5) * 4 * game.Radius
	}
	in.Seen = c.Claim(true)
	in.Aim = game.Bearing(target.X-from.X, target.Y-from.Y)
	e, _, hit := game.Aimed(lagcomp.Of(view), mine, from, in.Aim)
	for _, d := range []float32{-graze, graze} {
		for _, beside := range []components.Position{{X: from.X + d, Y: from.Y}, {X: from.X, Y: from.Y + d}} {
			if other, _, _ := game.Aimed(lagcomp.Of(view), mine, beside, in.Aim); other != e {
				return
			}
		}
	}
	in.Buttons |= game.Fire
	if m.shots[is.Shots+1] = 0; hit {
		m.shots[is.Shots+1] = view.NetID(e)
	}
}

// A shot hits the player whom it hits on the shooter's screen, or nobody, although the shooter and the targets walk and the
// link is bad. The shooter is told of the hit. Without lag compensation many shots end otherwise.
func TestShotsHitWhatTheScreenShows(t *testing.T) {
	for _, p := range []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}} {
		t.Run(p.String(), func(t *testing.T) {
			if !policy.Is[policy.LocalSync](p) && os.Getenv("TACTUS_LONG") == "" {
				t.Skip("TestNetcodeE5_TheDuel plays every model: set TACTUS_LONG=1")
			}
			systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
				right, wrong, hits := shootOut(t, p, seed, false)
				if wrong > 0 || right < 120 || hits < right/2 {
					t.Errorf("%d shots ended as on the screen, %d otherwise; %d hit", right, wrong, hits)
				}
				if !policy.Is[policy.LocalSync](p) {
					return
				}
				if _, wrong, _ := shootOut(t, p, seed, true); wrong < right/4 {
					t.Errorf("without compensation %d of %d ended otherwise", wrong, right)
				}
			})
		})
	}
}

// shootOut plays 125 shots of one client at other players and at wandering NPCs.
func shootOut(t *testing.T, p policy.Model, seed uint64, off bool) (right, wrong, hits int) {
	m := &marksman{draw: ecs.NewRand(seed, 77), shots: map[uint8]components.NetID{}}
	const clients = 4
	c := systemstest.Config{Protocol: game.CombatProtocol, Clients: clients, Seed: seed,
		Link: systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)}
	game.Arm(&c.Server)
	c.Server.LagComp.Off, c.Server.Model = off, p
	c.Client = func(n int) systems.ClientConfig {
		if n == 0 {
			return systems.ClientConfig{Gather: systems.Gather(m.gather)}
		}
		return systems.ClientConfig{Gather: systems.Gather(func(c *systems.Client, in *game.Action) {
			in.Buttons = uint8(c.World().Tick()/40*uint32(n)) % 16
		})}
	}
	crowd := systemstest.New(t, c)
	shooter := crowd.Clients[0].Client
	game.PopulateCombat(crowd.Server.World(), clients, 100)
	crowd.Connect()
	var judged, told []game.Verdict
	verdict := func(w *ecs.World, known *[]game.Verdict) (v game.Verdict, ok bool) {
		own, _ := shooter.Own(w)
		newest := ecs.Get[game.Verdict](w, own)
		if newest == nil || newest.Tick == 0 || len(*known) > 0 && newest.Tick == (*known)[len(*known)-1].Tick {
			return v, false
		}
		*known = append(*known, *newest)
		return *newest, true
	}
	crowd.OnServerTick(func() {
		v, ok := verdict(crowd.Server.World(), &judged)
		if !ok {
			return
		}
		if v.Whom != 0 {
			hits++
		}
		if v.Whom == m.shots[v.Shot] && (off || v.Clamp == uint8(lagcomp.Believed)) {
			right++
		} else {
			wrong++
			if !off {
				t.Logf("the screen showed %d: %+v", m.shots[v.Shot], v)
			}
		}
	})
	crowd.OnClientTick(func(k *systemstest.Client) {
		if k.Client != shooter {
			return
		}
		verdict(k.World(), &told)
	})
	crowd.RunUntil(30*time.Second, func() bool { return right+wrong >= 125 })
	m.done = true
	crowd.Run(2 * time.Second)
	t.Logf("%d as on the screen, %d otherwise, %d hits", right, wrong, hits)
	for _, v := range told {
		if !slices.Contains(judged, v) {
			t.Errorf("the shooter was told %+v, which was never judged", v)
		}
	}
	if len(told) < len(judged)*98/100 {
		t.Errorf("the shooter was told of %d of %d shots", len(told), len(judged))
	}
	if n := shooter.Stats().Corrections; n > 0 {
		t.Errorf("%d corrections", n)
	}
	return right, wrong, hits
}
