package main

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Four players on a bad link: rounds end and begin, each has a red player, no prediction is wrong, and in the end all see the
// same.
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
		its := 0
		for _, p := range ecs.All[struct{ It It }](crowd.Server.World()) {
			if p.It.Is {
				its++
			}
		}
		if its == 0 {
			t.Fatal("nobody has to catch the others")
		}
		if its < before {
			rounds++
		}
		before = its
	}
	if rounds == 0 {
		t.Error("no second round began")
	}
	crowd.NoCorrections()
	crowd.Settle()
	crowd.Converged()
}
