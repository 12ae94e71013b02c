package systems_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// without is the push test's crowd with a system of the clients left out.
func without(t *testing.T, seed uint64, system string) *systemstest.Crowd {
	config := onField(seed, 3, bad())
	config.Protocol = pushes(1200)
	if system != "" {
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
		}
	}
	c := systemstest.New(t, config)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
	c.Mark()
	return c
}

// answer is after how many ticks a client's own place first shows an input.
func answer(c *systemstest.Crowd) int {
	k := c.Clients[0]
	start, at := k.Input(), place(k.View(), drawnOwn(k))
	for n := range 200 {
		c.RunTicks(1)
		if place(k.View(), drawnOwn(k)) != at {
			return n
		}
		if k.Input() > start+200 {
			break
		}
	}
	return math.MaxInt
}

func drawnOwn(k *systemstest.Client) ecs.Entity {
	e, _ := k.Own(k.View())
	return e
}

// Leaving a system out costs what it gives. Without Predict the own player answers
// after a round trip and a buffer.
func TestNetcodePush_WithoutPredict(t *testing.T) {
	play := func(system string) int {
		// Everybody stands until one moment and walks from then on.
		walking := false
		config := onField(1, 1, bad())
		config.Play = systemstest.Play(func(_ *systemstest.Client, in *Walk) {
			if walking {
				in.DX = 1
			}
		})
		if system != "" {
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
			}
		}
		c := systemstest.New(t, config)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
		walking = true
		return answer(c)
	}
	if n := play(""); n > 1 {
		t.Errorf("the own player answers after %d ticks", n)
	}
	if n := play("Predict"); n < 30 {
		t.Errorf("without Predict the own player answers after %d ticks, a round trip is 30", n)
	}
}

// Without Reconcile a wrong prediction stays wrong.
func TestNetcodePush_WithoutReconcile(t *testing.T) {
	off := func(system string) float64 {
		c := without(t, 1, system)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 1200+pushEvery-1 })
		c.Settle()
		worst := 0.0
		for _, k := range c.Clients {
			worst = max(worst, apart(place(k.World(), ownOf(k)), place(c.Server.World(), own(c, k))))
		}
		return worst
	}
	if d := off(""); d > tolerance {
		t.Errorf("with all systems a player stands %.3f off, after all is quiet", d)
	}
	if d := off("Reconcile"); d < pushDistance-1 {
		t.Errorf("without Reconcile a player that was pushed by %d stands %.3f off", pushDistance, d)
	}
}

// Without Interpolate others stand between snapshots and jump with them.
func TestNetcodePush_WithoutInterpolate(t *testing.T) {
	play := func(system string) (stalls uint64, longest float64) {
		config := onField(1, 2, bad())
		config.Play = straight()
		if system != "" {
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
			}
		}
		c := systemstest.New(t, config)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
		c.Mark()
		last := make([]components.Position, len(c.Clients))
		c.OnFrame(func(k *systemstest.Client) {
			other := c.Clients[1-k.N]
			e, _ := k.View().ByNetID(c.Server.World().NetID(own(c, other)))
			p := place(k.View(), e)
			if last[k.N] != (components.Position{}) {
				longest = max(longest, apart(p, last[k.N]))
			}
			last[k.N] = p
		})
		c.RunTicks(600)
		for _, k := range c.Clients {
			stalls += k.Figures().Stalls
		}
		return stalls, longest
	}
	if stalls, longest := play(""); stalls != 0 || longest > 1.05*inputLimit+2*tolerance {
		t.Errorf("%d stalls, others move by up to %.3f a frame, by the rules %.3f", stalls, longest, inputLimit)
	}
	if stalls, longest := play("Interpolate"); stalls < 600 || longest < 3*inputLimit-tolerance {
		t.Errorf("without Interpolate: %d stalls in 1200 frames, others move by up to %.3f a frame", stalls, longest)
	}
}
