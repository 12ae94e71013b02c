//go:build !js

package main

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// shown is a scene of a client in a match in virtual time.
type shown struct {
	*systemstest.Crowd
	scene  *scene
	online *online
}

func newShown(t *testing.T, rtt time.Duration, loss float64) *shown {
	t.Helper()
	controls := &controls{}
	messages := game.NewMessages()
	o := &online{controls: controls, messages: messages}
	config := systemstest.Config{Protocol: game.CombatProtocol, Clients: 4, Seed: 9, Link: systemstest.RoundTrip(rtt, rtt/10, loss),
		Client: func(n int) systems.ClientConfig {
			c := systems.ClientConfig{Gather: game.NewGunner(9, n, 4).Gather()}
			if n == 0 {
				c.Gather = systems.Gather(o.gather)
			}
			messages.Play(&c, nil)
			return c
		}}
	game.Arm(&config.Server)
	messages.Serve(&config.Server)
	s := &shown{scene: newScene(), online: o}
	s.Crowd = systemstest.New(t, config)
	game.PopulateCombat(s.Server.World(), 4, 100)
	s.Connect()
	o.client = s.Clients[0].Client
	s.Run(5 * time.Second)
	return s
}

// frame draws one frame at 60 a second.
func (s *shown) frame() {
	const dt = time.Second / 60
	s.Run(dt)
	s.online.client.Frame(s.Now())
	s.scene.update(s.online, s.Now(), dt.Seconds())
}

// The own player answers in the frame after the key, and is drawn without jumps on a
// bad link: no frame moves it further than its speed explains.
func TestOwnPlayerMovesSmoothly(t *testing.T) {
	s := newShown(t, 200*time.Millisecond, 0.05)
	s.frame()
	x := s.scene.own.x
	s.online.controls.buttons = game.Right
	if x > game.Size/2 {
		s.online.controls.buttons = game.Left
	}
	s.frame()
	s.frame()
	if d := math.Abs(s.scene.own.x - x); d < 2 {
		t.Errorf("two frames after the key the player has moved by %v units", d)
	}
	const explained = game.PlayerSpeed / 60.0 * 2.2 // two ticks in a frame
	lastX, lastY, worst := s.scene.own.x, s.scene.own.y, 0.0
	for n := range 600 {
		if n%50 == 0 {
			s.online.controls.buttons ^= game.Left | game.Right
		}
		s.frame()
		own := s.scene.own
		if d := math.Hypot(own.x-lastX, own.y-lastY); !own.down && own.grown == 1 {
			worst = max(worst, d)
		}
		lastX, lastY = own.x, own.y
	}
	t.Logf("at most %.2f units a frame", worst)
	if worst > explained {
		t.Errorf("a frame moves the player by %.2f units, at most %.2f are explained", worst, explained)
	}
}

// A frame of the scene allocates nothing.
func TestSceneAllocatesNothing(t *testing.T) {
	s := newShown(t, 100*time.Millisecond, 0)
	for range 120 {
		s.frame()
	}
	now := s.Now()
	if n := testing.AllocsPerRun(200, func() {
		now = now.Add(time.Millisecond)
		s.scene.update(s.online, now, 0.001)
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Sliders ask for what links take.
func TestSlidersMakeLinks(t *testing.T) {
	p := newPanel()
	for range 2 {
		if err := p.link().Validate(); err != nil {
			t.Error(err)
		}
		for i := range p.sliders {
			p.sliders[i].value = p.sliders[i].most
		}
		p.sliders[roundTrip].value = 10 // less than the jitter
	}
	if (newPanel().link() != netsys.Link{}) {
		t.Error("sliders at rest change the link")
	}
}

// The left thumb walks in eight directions, and not at all near the middle.
func TestThumbsWalkEightWays(t *testing.T) {
	for _, c := range []struct {
		dx, dy float64
		want   uint8
	}{
		{50, 0, game.Right}, {-50, 3, game.Left}, {0, 50, game.Down}, {2, -50, game.Up},
		{35, 35, game.Right | game.Down}, {-35, -35, game.Left | game.Up}, {5, 5, 0},
	} {
		k := controls{left: stick{held: true, x: c.dx, y: c.dy}}
		k.thumbs(1)
		if k.buttons != c.want {
			t.Errorf("%v, %v: buttons %b", c.dx, c.dy, k.buttons)
		}
	}
}
