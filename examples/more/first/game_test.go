package main

import (
	"regexp"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Four players on a bad link: rounds end and begin, each has a red player and winners, no prediction is wrong, and in the end all
// see the same.
func TestTag(t *testing.T) {
	crowd := systemstest.New(t, systemstest.Config{
		Protocol: Protocol,
		Play: systemstest.Play(func(c *systemstest.Client, in *Move) {
			in.DX, in.DY = int8(c.Rand().IntN(3)-1), int8(c.Rand().IntN(3)-1)
		}),
		Clients: 4,
		Link:    systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05),
		Seed:    1,
	})
	crowd.Connect()
	crowd.Mark()
	rounds, before := 0, 0
	for range 600 {
		crowd.Run(100 * time.Millisecond)
		its, winners := 0, 0
		for _, p := range ecs.All[struct{ It It }](crowd.Server.World()) {
			if p.It.Is {
				its++
			}
			if p.It.Won {
				winners++
			}
		}
		if its == 0 {
			t.Fatal("nobody has to catch the others")
		}
		if its < before {
			rounds++
			if winners == 0 || winners == 4 {
				t.Errorf("%d players won the round", winners)
			}
		}
		before = its
	}
	if rounds == 0 {
		t.Error("no second round began")
	}
	if text := hud(crowd.Clients[0].Client, true, It{Is: true}); !regexp.MustCompile(`^You are It: [0-9]+ s$`).MatchString(text) {
		t.Errorf("the HUD says %q", text)
	}
	crowd.NoCorrections()
	crowd.Settle()
	crowd.Converged()
}
