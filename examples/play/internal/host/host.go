//go:build !js

package host

import (
	"context"
	"slices"
	"time"

	arena "github.com/tactusgo/tactus/examples/arena/game"
	custom "github.com/tactusgo/tactus/examples/custom/game"
	duel "github.com/tactusgo/tactus/examples/duel/game"
	physics "github.com/tactusgo/tactus/examples/physics/game"
	platformer "github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	snake "github.com/tactusgo/tactus/examples/snake/game"
	snowball "github.com/tactusgo/tactus/examples/snowball/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// worlds returns the worlds with a local match.
func worlds() []runner.World {
	return []runner.World{arena.World(), custom.World(), platformer.World(), snake.World(), snowball.World(), duel.World(), physics.World()}
}

// pick returns the world with a name. Every world of the client has one.
func pick(name string) runner.World {
	all := worlds()
	i := slices.IndexFunc(all, func(w runner.World) bool { return w.Name == name })
	if i < 0 {
		panic("host: there is no match of " + name + ": add the world to worlds in examples/play/internal/host")
	}
	return all[i]
}

// Start starts a match: a server, and bots that are ordinary clients with a link like a home connection. stop ends it.
func Start(name string, o *stage.Options) (address string, stop func(), err error) {
	w := pick(name)
	w.Listen = map[string]func(string) (netsys.Wire, error){"udp": runner.Wire(eventloop.Listen)}
	return runner.Host(context.Background(), w, runner.Options{
		Clients: number(o.Bots), NPCs: number(o.NPCs), Preset: o.Preset, Seed: o.Seed, RTT: home, Jitter: home / 8, Loss: 0.005,
	})
}

// home is the round trip of bots.
const home = 40 * time.Millisecond

// number converts a number for the runner, where 0 means the default and -1 means none.
func number(n int) int {
	switch n {
	case stage.Usual:
		return 0
	case 0:
		return -1
	}
	return n
}

// Drive returns the inputs of a bot of the world, to play instead of the user.
func Drive(name string, o *stage.Options) systems.GatherFunc {
	return pick(name).Bot(&runner.Options{Clients: max(o.Bots, 1), NPCs: max(o.NPCs, 0), Seed: max(o.Seed, 1)}, 0).Gather()
}
