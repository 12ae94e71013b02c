package main

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Four players on a bad link: in the end all see the same, somebody was caught, and no prediction was wrong.
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
	crowd.Run(20 * time.Second)
	crowd.NoCorrections()
	crowd.Settle()
	crowd.Converged()
	its := 0
	for _, p := range ecs.All[struct{ It It }](crowd.Server.World()) {
		if p.It.Is {
			its++
		}
	}
	if its < 2 {
		t.Errorf("%d players are red, want who began and somebody who was caught", its)
	}
}
