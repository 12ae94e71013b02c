package game

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// play makes a crowd of bots in the yard through a terrible link, which change may make otherwise.
func play(t *testing.T, seed uint64, clients int, change func(*systemstest.Config)) *systemstest.Crowd {
	var bots []*Bot
	for n := range clients {
		bots = append(bots, NewBot(seed, n))
	}
	c := systemstest.Config{
		Protocol: Protocol,
		Server:   systems.ServerConfig{Schedule: ServerSchedule},
		Populate: func(w *ecs.World) { Populate(w, 50) },
		Client:   func(int) systems.ClientConfig { return systems.ClientConfig{Schedule: ClientSchedule} },
		Play:     systemstest.Play(func(k *systemstest.Client, in *Input) { bots[k.N].Fill(k.Client, in) }),
		Clients:  clients,
		Link:     systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05),
		Seed:     seed,
	}
	if change != nil {
		change(&c)
	}
	return systemstest.New(t, c)
}

const warm = 12 * time.Second

// A client that plays alone predicts everything correctly: it rides, waits at the door and passes it, takes power-ups, runs
// with them, and is never corrected.
func TestAloneIsNeverCorrected(t *testing.T) {
	minutes, sum := 0, Diary{}
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		c := play(t, seed, 1, nil)
		c.Connect()
		c.Run(warm)
		c.Mark()
		w := c.Clients[0].World()
		before := *ecs.Resource[Diary](w)
		jolts := ecs.Resource[Camera](w).Jolts
		c.Run(time.Minute)
		d := ecs.Resource[Diary](w)
		minutes++
		sum.Ridden += d.Ridden - before.Ridden
		sum.Boosted += d.Boosted - before.Boosted
		sum.Taken += d.Taken - before.Taken
		sum.Passed += d.Passed - before.Passed
		sum.Blocked += d.Blocked - before.Blocked
		c.NoCorrections()
		if got := ecs.Resource[Camera](w).Jolts; got != jolts {
			t.Errorf("the camera was jolted %d times", got-jolts)
		}
		c.NothingMissing()
		c.Settle()
		c.Converged()
	})
	if sum.Ridden < 200*minutes || sum.Boosted < 200*minutes || sum.Taken < 2*minutes || sum.Passed < minutes || sum.Blocked < 20*minutes {
		t.Errorf("in %d minutes %+v: too little to prove anything", minutes, sum)
	}
}

// Two clients that seek and push each other sometimes predict each other wrongly, but by less than a player's width in 99 of
// 100 ticks. In the end they agree.
func TestTwoWhoPushStayClose(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		c := play(t, seed, 2, nil)
		c.Connect()
		c.Run(warm)
		c.Mark()
		errors := observe(c)
		pressed := 0
		for _, k := range c.Clients {
			pressed -= ecs.Resource[Diary](k.World()).Pressed
		}
		c.Run(time.Minute)
		for _, k := range c.Clients {
			pressed += ecs.Resource[Diary](k.World()).Pressed
		}
		if pressed < 500 {
			t.Errorf("they pushed for %d ticks of a minute, want 500 at least to prove anything", pressed)
		}
		slices.Sort(*errors)
		if p99 := (*errors)[len(*errors)*99/100]; p99 >= Width {
			t.Errorf("error p99 %.1f units over %d ticks, want less than %d", p99, len(*errors), Width)
		}
		corrections, jolts := uint64(0), 0
		for _, k := range c.Clients {
			corrections += k.Figures().Corrections
			jolts += ecs.Resource[Camera](k.World()).Jolts
		}
		if corrections == 0 || jolts == 0 {
			t.Errorf("%d corrections, %d of them seen by a camera: this match proves nothing", corrections, jolts)
		}
		c.NothingMissing()
		c.Settle()
		c.Converged()
	})
}

// observe collects how far each client's first prediction of its place after an
// input is from the server's place after it.
func observe(c *systemstest.Crowd) *[]float64 {
	type key struct{ client, input uint32 }
	predicted, compared := map[key]Point{}, map[key]bool{}
	errors := new([]float64)
	c.OnClientTick(func(k *systemstest.Client) {
		if me := own(k.World()); me.Pos != nil {
			predicted[key{k.ID(), k.Input()}] = Point(*me.Pos)
		}
	})
	c.OnServerTick(func() {
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Pos   components.Position
		}](c.Server.World()) {
			for _, k := range c.Clients {
				at := key{p.Owner.Client, k.Status().LastInput}
				was, ok := predicted[at]
				if k.ID() != p.Owner.Client || !ok || compared[at] {
					continue
				}
				compared[at] = true
				*errors = append(*errors, math.Hypot(float64(p.Pos.X-was.X), float64(p.Pos.Y-was.Y)))
			}
		}
	})
	return errors
}

// The server's totals agree with the components of players and power-ups, and clients see the same.
func TestPointsAreCountedOnce(t *testing.T) {
	c := play(t, 1, 4, nil)
	c.Connect()
	c.Run(20 * time.Second)
	c.Settle()
	w := c.Server.World()
	points, rounds, most := 0, 0, uint16(0)
	for _, r := range ecs.All[scored](w) {
		points += int(r.Score.Points)
		most = max(most, r.Score.Points)
	}
	for _, p := range ecs.All[seenPowerUp](w) {
		rounds += int(p.Item.Round)
	}
	if points == 0 || points != rounds {
		t.Errorf("%d points for %d power-ups taken", points, rounds)
	}
	m := ecs.Single[Match](w)
	if m.Players != 4 || m.Points != most || m.Leader == 0 {
		t.Errorf("the match is %+v; most points are %d", m, most)
	}
	places := map[components.NetID]components.Position{}
	for _, p := range ecs.All[seenPowerUp](w) {
		places[p.ID] = p.Pos
	}
	for _, k := range c.Clients {
		for _, p := range ecs.All[seenPowerUp](k.World()) {
			if p.Pos != places[p.ID] {
				t.Fatalf("%v knows power-up %d at %v, it lies at %v", k, p.ID, p.Pos, places[p.ID])
			}
		}
		if got := ecs.Single[Match](k.World()); got != m {
			t.Errorf("%v sees the match as %+v, it is %+v", k, got, m)
		}
	}
	c.Converged()
}

// Bots ride, fetch and go through the door without predicting, too: those that people meet on a page are such.
func TestThinBots(t *testing.T) {
	c := play(t, 5, 6, func(c *systemstest.Config) {
		c.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return errors.Join(ClientSchedule(s), systems.Thin(s)) },
				Systems: systems.ClientSystems{Interpolate: Draw}}
		}
		c.Link = systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)
	})
	c.Connect()
	type deeds struct{ rode, left, right int }
	all := map[uint32]deeds{}
	for range 60 {
		c.Run(time.Second)
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Pos   components.Position
			Ride  Ride
		}](c.Server.World()) {
			d := all[p.Owner.Client]
			if p.Ride.On > 0 {
				d.rode++
			}
			if p.Pos.X < wallX {
				d.left++
			} else {
				d.right++
			}
			all[p.Owner.Client] = d
		}
	}
	for _, s := range ecs.All[scored](c.Server.World()) {
		if d := all[s.Owner.Client]; d.rode < 3 || d.left < 3 || d.right < 3 || s.Score.Points < 3 {
			t.Errorf("in %d seconds client %d has %d points, of seconds %+v", 60, s.Owner.Client, s.Score.Points, d)
		}
	}
}
