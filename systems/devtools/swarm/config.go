package swarm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
	"github.com/tactusgo/tactus/systems/inputgather"
)

// The transports of [Config.Transport].
const (
	UDP       = "udp"
	WebSocket = "ws"
)

// transports are what Transport can be, the default first.
var transports = []string{UDP, WebSocket}

const (
	defaultClients  = 100
	defaultRamp     = 500
	defaultSockets  = 1024
	defaultDuration = 30 * time.Second
	defaultWarmup   = 5 * time.Second
	defaultBusy     = 0.8
	maxThreads      = 64
)

// Config configures a [Swarm]. Protocol and Addr are needed.
type Config struct {
	// Protocol makes the game's protocol, the same as the server's. It is called once for each goroutine, and for each
	// thin client.
	Protocol func() *ecs.Protocol
	// Addr is the server, as "host:port", or, over WebSocket, a URL such as wss://game.example/play.
	Addr string
	// Rooms has the clients play in rooms: it says where these are, how many clients there are and where their tokens are from,
	// in the place of Addr, Clients and Token. Default (nil): one server.
	Rooms *RoomsConfig
	// Transport is how to reach it: [UDP] or [WebSocket]. Default (""): UDP.
	Transport string

	// Wire opens the way of the n-th client to Addr, in place of a Transport: on a network in memory, say, where
	// [Swarm.Step] is told a time of one's own. Default (nil): sockets.
	Wire func(n int) (netsys.Wire, error)

	// Clients is how many there are, up to 65,536. Default (0): 100.
	Clients int
	// Thin is how many of these decode everything that the server tells, and verify it; the others are blind. They are
	// spread evenly among all. Default (0): none.
	Thin int
	// Input is what the players do; see [Input]. Default (zero): neutral inputs.
	Input InputFunc
	// Client changes the configuration of a client: Channels, Messages, Events, Login, ProtocolID, Trained and Timeout as
	// the server has them. It may be called by several goroutines at once. A blind client has no use for the rest.
	// Default (nil): the zero value.
	Client func(n int, c *systems.ClientConfig)
	// Token gets the connect token of a client, a little before it connects; it may take its time, as a login service
	// does: clients connect no faster than tokens come. It may be called by several goroutines at once. There are [Issue],
	// [Files] and [Service]. Default (nil): development mode, for a server on this machine.
	Token TokenFunc

	// OnDemand makes clients connect by [Swarm.Join] alone, up to Clients at once, without Ramp and Token. It works over UDP
	// and with Wire. Default (false): all connect by themselves.
	OnDemand bool
	// Idle makes blind clients send no inputs: they join, receive and acknowledge. Default (false): one input in every tick.
	Idle bool
	// Ramp is how many clients a second begin to connect. Default (0): 500.
	Ramp float64
	// Warmup is how long to wait when all clients are in, before anything counts. Default (0): 5 s; −1: none.
	Warmup time.Duration
	// Duration is how long [Run] measures after that. Default (0): 30 s.
	Duration time.Duration

	// Sockets is how many there are at most. Where clients cannot share them, over WebSocket and to other machines, more
	// clients are an error of [New].
	// Default (0): 1,024.
	Sockets int
	// Threads is how many goroutines share the clients, up to 64: each is a processor at most. Default (0): 1.
	Threads int
	// Busy is from which share of its time on a goroutine counts as too busy to trust what it measured. Default (0): 0.8.
	Busy float64

	// OnUpdate is called when blind client n receives a snapshot. The goroutine of the client calls it. Default (nil): nothing.
	OnUpdate func(n int)
	// OnConnect is called when the server accepts client n. The goroutine of the client calls it. Default (nil): nothing.
	OnConnect func(n int)
	// OnEnd is called when the server refuses client n, or when the client loses its session without having left. The
	// goroutine of the client calls it. Default (nil): nothing.
	OnEnd func(n int, err error)
	// OnTick is called before each tick of a thin client, with the state as its last tick left it. It is called by the
	// goroutine of the client. Default (nil): nothing.
	OnTick func(n int, c *systems.Client)
	// Progress is where [Run] shows a table, once a second. Default (nil): nowhere.
	Progress io.Writer

	dial      func(clients int) carrier // for tests; nil: by Transport
	witnesses *witnesses
	house     *house // of Rooms
}

// ErrConfig is wrapped by every error about a configuration.
var ErrConfig = errors.New("swarm: configuration")

// Validate reports what is wrong with c; it never changes it. The errors wrap [ErrConfig].
func (c Config) Validate() error {
	c = c.filled()
	switch {
	case c.Protocol == nil:
		return fmt.Errorf("%w: Protocol is nil: give the function that makes the game's protocol", ErrConfig)
	case c.Rooms != nil:
		if err := c.Rooms.Validate(); err != nil {
			return err
		}
		if c.Addr != "" || c.Token != nil || c.Wire != nil || c.Clients != c.Rooms.clients() {
			return fmt.Errorf("%w: Rooms with Addr, Token, Wire or Clients: Rooms say where they are, and how many come", ErrConfig)
		}
	case c.Addr == "":
		return fmt.Errorf("%w: Addr is empty: write where the server is, such as 127.0.0.1:7777", ErrConfig)
	case !slices.Contains(transports, c.Transport):
		return fmt.Errorf("%w: Transport %q: allowed are %s", ErrConfig, c.Transport, strings.Join(transports, ", "))
	case c.Clients < 1 || c.Clients > manysockets.MaxClients:
		return fmt.Errorf("%w: Clients %d is not in 1..%d (0: %d)", ErrConfig, c.Clients, manysockets.MaxClients, defaultClients)
	case c.Thin < 0 || c.Thin > c.Clients:
		return fmt.Errorf("%w: Thin %d is not in 0..%d, the Clients", ErrConfig, c.Thin, c.Clients)
	case c.OnDemand && (c.Token != nil || c.Rooms != nil || c.Transport != UDP && c.Wire == nil):
		return fmt.Errorf("%w: OnDemand with Token, Rooms or Transport %s: clients connect by UDP then, with the token of Join", ErrConfig, c.Transport)
	case !(c.Ramp > 0):
		return fmt.Errorf("%w: Ramp %v is not above 0 (0: %d)", ErrConfig, c.Ramp, defaultRamp)
	case c.Duration < 0:
		return fmt.Errorf("%w: Duration %v is negative (0: %v)", ErrConfig, c.Duration, defaultDuration)
	case c.Sockets < 0:
		return fmt.Errorf("%w: Sockets %d is negative (0: 1024)", ErrConfig, c.Sockets)
	case c.Threads < 1 || c.Threads > maxThreads || c.Threads > c.Clients:
		return fmt.Errorf("%w: Threads %d is not in 1..%d, and no more than there are clients (0: 1)", ErrConfig, c.Threads, maxThreads)
	case !(c.Busy > 0 && c.Busy <= 1):
		return fmt.Errorf("%w: Busy %v is not a share above 0 to 1 (0: %v)", ErrConfig, c.Busy, defaultBusy)
	}
	return nil
}

func (c Config) filled() Config {
	c.Transport = cmp.Or(c.Transport, UDP)
	c.Clients = cmp.Or(c.Clients, c.Rooms.clients(), defaultClients)
	c.Ramp = cmp.Or(c.Ramp, defaultRamp)
	c.Warmup = max(cmp.Or(c.Warmup, defaultWarmup), 0)
	c.Duration = cmp.Or(c.Duration, defaultDuration)
	c.Threads = cmp.Or(c.Threads, 1)
	c.Busy = cmp.Or(c.Busy, defaultBusy)
	c.witnesses = new(witnesses)
	return c
}

// fits reports whether inputs are of the protocol's type.
func (f InputFunc) fits(p *ecs.Protocol) error {
	if f.of != nil && (p.Input() == nil || f.of(p) != p.Input()) {
		return fmt.Errorf("%w: Input fills another type than the protocol's input: %s", ErrConfig, inputgather.Type(p))
	}
	return nil
}

// witness is who compares what the n-th client is told with what others are: those of its room.
func (c *Config) witness(n int) *witnesses {
	if c.house != nil {
		return &c.house.of(n).witnesses
	}
	return c.witnesses
}

// isThin spreads the thin clients evenly.
func (c *Config) isThin(n int) bool { return (n+1)*c.Thin/c.Clients > n*c.Thin/c.Clients }
