package headless

import (
	"context"
	"flag"
	"io"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// World is an example world, as the runner needs to know it.
type World struct {
	// Name is the world's folder name.
	Name string
	// About is a few lines for -h; may be empty.
	About string
	// Protocol builds the protocol.
	Protocol func(o *Options) *ecs.Protocol
	// Populate spawns what is there before anybody joins.
	Populate func(w *ecs.World, o *Options)
	// Join spawns a client's player.
	Join func(w *ecs.World, o *Options, client uint32)
	// Bot makes the n-th bot, from 0.
	Bot func(o *Options, n int) Bot
	// Place is where an entity stands, in world units.
	Place func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool)
	// Push moves an entity at once, as far as it can go.
	Push func(w *ecs.World, e ecs.Entity, dx, dy float32)
	// Damping is how others are drawn under a preset that damps them.
	Damping interpolate.Damping
	// ServerSchedule and ClientSchedule add the world's own systems around the
	// simulation. They may be nil.
	ServerSchedule, ClientSchedule func(s *ecs.Schedule) error
	// Server and Client change the configurations of the server and of each bot, the
	// last thing before these are made. They may be nil.
	Server func(o *Options, c *systems.ServerConfig)
	Client func(o *Options, c *systems.ClientConfig)
	// Flags adds flags of the world's own; may be nil.
	Flags func(fs *flag.FlagSet)
	// Live plays where no flag says how, instead of [Live]; may be nil.
	Live func(ctx context.Context, world World, o Options, stdout, stderr io.Writer) error
}

// Bot plays one client.
type Bot interface {
	// Gather is how the bot fills its inputs.
	Gather() systems.GatherFunc
	// Release lets go of all keys for good.
	Release()
	// Wants is a number for what the newest input should make the own entity
	// show. The runner counts the ticks until it does.
	Wants() int
	// Shows is the same number for what an entity does show.
	Shows(w *ecs.World, e ecs.Entity) int
}
