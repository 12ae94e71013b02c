package systems_test

import (
	"fmt"
	"net/netip"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Team is the team of a mine. Only this team sees its Timer.
type (
	Team struct {
		Number uint8 `net:"0..3"`
	}
	Timer struct {
		Seconds uint8 `net:"0..60"`
	}
)

// timers sends the timers of mines only to their own team.
func timers(c systems.ServerConfig) systems.ServerConfig {
	c.Snapshots.ComponentInterest = []systems.ComponentInterest{
		systems.Only[Timer](systems.Same[Team]()),
	}
	return c
}

// Only the team of a mine sees the timer of the mine.
func ExampleOnly() {
	p := ecs.NewProtocol("mines/1")
	ecs.Replicate[Team](p, 0)
	ecs.Replicate[Timer](p, 0)
	_, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), p, timers(systems.ServerConfig{}))
	fmt.Println(err)
	// Output: <nil>
}
