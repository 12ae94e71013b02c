package runner

import (
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// reconnectWindow is how long the server keeps a player who reloads the page or whose connection is dead.
const reconnectWindow = 30 * time.Second

// newServer creates a world's server on a transport and populates it.
func newServer(world World, o Options, wire netsys.Wire, start time.Time, schedule func(*ecs.Schedule) error) (*systems.Server, error) {
	config := systems.ServerConfig{
		Key:       o.access.key,
		Addresses: o.access.public,

		InsecureAllowAnyAddress: o.Insecure,

		Seed:       o.Seed,
		TickRate:   o.Tick,
		WakeEvery:  o.ServerEvery,
		SendRate:   o.Send,
		Policies:   o.policies(),
		MaxClients: max(o.bots(), 256),
		Start:      start,

		ReconnectWindow: reconnectWindow,

		Trained: o.files.trained,
		Record:  o.files.record,
		Logger:  o.files.log,
	}
	config.Random = o.random(o.Seed)
	var s *systems.Server
	var err error
	if world.Server != nil {
		world.Server(&o, &config)
	}
	config.Schedule = both(config.Schedule, schedule)
	if o.access.joined != nil {
		config.Schedule = both(config.Schedule, func(schedule *ecs.Schedule) error {
			return schedule.InsertBefore("ServerApply", ecs.System{Name: "Joined", Run: who(func() *systems.Server { return s }, o.access.joined)})
		})
	}
	s, err = systems.NewServer(wire, world.Protocol(&o), config)
	if err != nil {
		return nil, err
	}
	if world.Populate != nil {
		world.Populate(s.World(), &o)
	}
	return s, nil
}

// who returns a system that calls joined once for each client.
func who(server func() *systems.Server, joined func(client uint32, s netsys.Session)) func(*ecs.World) {
	told := uint32(0)
	return func(*ecs.World) {
		s := server()
		for c := range s.Clients {
			if c.ID > told {
				told = c.ID
				joined(c.ID, s.Session(c.ID))
			}
		}
	}
}

// both returns a function that applies first and then second to a schedule. Both may be nil.
func both(first, second func(*ecs.Schedule) error) func(*ecs.Schedule) error {
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
