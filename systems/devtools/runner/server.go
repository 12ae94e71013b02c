package runner

import (
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// reconnectWindow is how long the server keeps a player who reloads the page or whose connection is dead.
const reconnectWindow = 30 * time.Second

// serverConfig returns the configuration of a world's server.
func (g *Game) serverConfig(o *Options, start time.Time, schedule func(*ecs.Schedule) error) systems.ServerConfig {
	config := g.Settings(o)
	config.Session = systems.ServerSession{Key: o.access.key, Addresses: o.access.public, InsecureAllowAnyAddress: o.Insecure}
	config.Seed, config.Snapshots.Record, config.MaxClients, config.Load, config.Start = o.Seed, o.files.samples, max(o.bots(), 256), o.files.load, start
	config.Players.ReconnectWindow, config.Logger = reconnectWindow, o.files.log
	config.Session.Random = o.random(o.Seed)
	if g.Server != nil {
		g.Server(o, &config)
	}
	o.keepFlight(&config)
	config.Schedule = chain(config.Schedule, schedule)
	return config
}

// Settings returns what the flags say about a server of any match: the model, the rates and the statistics. Game.Server is not
// part of it.
func (g *Game) Settings(o *Options) systems.ServerConfig {
	c := systems.ServerConfig{
		TickRate: o.Tick, WakeEvery: o.ServerEvery, Model: o.model(g),
		Snapshots: systems.Snapshots{SendRate: o.Send, Trained: o.files.trained},
	}
	if !o.Virtual {
		began := time.Now()
		c.Overload.Clock = func() time.Duration { return time.Since(began) }
	}
	return c
}

// newServer creates a world's server on a transport and populates it.
func newServer(game Game, o Options, wire netsys.Wire, start time.Time, schedule func(*ecs.Schedule) error) (*systems.Server, error) {
	var s *systems.Server
	if o.access.joined != nil {
		schedule = chain(schedule, func(schedule *ecs.Schedule) error {
			return schedule.InsertBefore("ServerApply", ecs.System{Name: "Joined", Run: onceJoined(func() *systems.Server { return s }, o.access.joined)})
		})
	}
	s, err := systems.NewServer(wire, game.Protocol(&o), game.serverConfig(&o, start, schedule))
	if err != nil {
		return nil, o.loadError(err)
	}
	if o.files.load == nil {
		game.populate(s.World(), &o)
	}
	return s, o.record(s)
}

// populate spawns the entities that exist before any player joins.
func (g *Game) populate(in *ecs.World, o *Options) {
	if g.Populate != nil {
		g.Populate(in, o)
	}
}

// onceJoined returns a system that calls joined once for each client.
func onceJoined(server func() *systems.Server, joined func(client uint32, s netsys.Session)) func(*ecs.World) {
	told := uint32(0)
	return func(*ecs.World) {
		s := server()
		for c := range s.Clients {
			if c.ID > told && !s.Session(c.ID).Spectator() {
				told = c.ID
				joined(c.ID, s.Session(c.ID))
			}
		}
	}
}

// chain returns a function that applies first and then second to a schedule. Both may be nil.
func chain(first, second func(*ecs.Schedule) error) func(*ecs.Schedule) error {
	return func(s *ecs.Schedule) error {
		for _, change := range []func(*ecs.Schedule) error{first, second} {
			if change == nil {
				continue
			}
			if err := change(s); err != nil {
				return err
			}
		}
		return nil
	}
}
