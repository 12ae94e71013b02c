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

// transports are the values of Config.Transport, the default first.
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

// Config configures a [Swarm]. Protocol and Addr are required.
type Config struct {
	// Protocol creates the game's protocol, equal to the server's. It is called once per goroutine and per thin client.
	Protocol func() *ecs.Protocol
	// Addr is the server's address, as "host:port" or, for WebSocket, a URL such as wss://game.example/play.
	Addr string
	// Rooms makes the clients play in rooms. It provides the addresses, the number of clients and the tokens, instead of
	// Addr, Clients and Token. Default (nil): one server.
	Rooms *RoomsConfig
	// Transport is [UDP] or [WebSocket]. Default (""): UDP.
	Transport string

	// Wire opens the transport of client n to Addr, instead of Transport. Use it for a network in memory, where the caller
	// of [Swarm.Step] chooses the time. Default (nil): sockets.
	Wire func(n int) (netsys.Wire, error)

	// Clients is the number of clients, up to 65,536. Default (0): 100.
	Clients int
	// Thin is the number of clients that decode and verify every snapshot, spread evenly among all. The others are blind.
	// Default (0): none.
	Thin int
	// Input creates the players' inputs; see [Input]. Default (zero): neutral inputs.
	Input InputFunc
	// Client changes the configuration of client n. Set Channels, Messages, Events, Login, ProtocolID, Trained and Timeout
	// as on the server. Blind clients ignore the other fields. Several goroutines may call it at once. Default (nil): the
	// zero value.
	Client func(n int, c *systems.ClientConfig)
	// Token returns the connect token of client n shortly before the client connects. It may be slow, like a login service:
	// clients connect as fast as tokens arrive. Several goroutines may call it at once. Use [Issue], [Files] or [Service].
	// Default (nil): development mode, for a server on this machine.
	Token TokenFunc

	// OnDemand makes clients connect only by [Swarm.Join], up to Clients at once, without Ramp and Token. It requires UDP
	// or Wire. Default (false): all clients connect automatically.
	OnDemand bool
	// Idle makes blind clients send no inputs: they join, receive and acknowledge. Default (false): one input per tick.
	Idle bool
	// Ramp is the number of clients per second that start to connect. Default (0): 500.
	Ramp float64
	// Warmup is the time from the last connection to the start of the measurement. Default (0): 5 s; −1: none.
	Warmup time.Duration
	// Duration is how long [Run] measures after the warm-up. Default (0): 30 s.
	Duration time.Duration

	// Sockets is the largest number of sockets. Over WebSocket and to other machines each client needs its own socket;
	// [New] returns an error for more clients than sockets. Default (0): 1,024.
	Sockets int
	// Threads is the number of goroutines that share the clients, up to 64. Each uses at most one processor. Default (0):
	// 1.
	Threads int
	// Busy is the share of its time from which a goroutine counts as too busy for trustworthy figures. Default (0): 0.8.
	Busy float64

	// OnUpdate is called when blind client n receives a snapshot. The goroutine of the client calls it. Default (nil): nothing.
	OnUpdate func(n int)
	// OnConnect is called when the server accepts client n. The goroutine of the client calls it. Default (nil): nothing.
	OnConnect func(n int)
	// OnEnd is called when the server refuses client n, or when the client loses its session without having left. The
	// goroutine of the client calls it. Default (nil): nothing.
	OnEnd func(n int, err error)
	// OnTick is called before each tick of a thin client, with the state after its previous tick. The goroutine of the
	// client calls it. Default (nil): nothing.
	OnTick func(n int, c *systems.Client)
	// Progress receives a table from [Run], one row per second. Default (nil): none.
	Progress io.Writer

	dial      func(clients int) carrier // for tests; nil: use Transport
	witnesses *witnesses
	roomSet   *roomSet // for Rooms
}

// ErrConfig is wrapped by every error in a configuration.
var ErrConfig = errors.New("swarm: configuration")

// Validate returns an error for an invalid configuration. The errors wrap [ErrConfig].
func (c Config) Validate() error {
	c = c.filled()
	switch {
	case c.Protocol == nil:
		return fmt.Errorf("%w: Protocol is nil: set it to the function that creates the game's protocol", ErrConfig)
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

// fits returns an error if the inputs have another type than the protocol's.
func (f InputFunc) fits(p *ecs.Protocol) error {
	if f.of != nil && (p.Input() == nil || f.of(p) != p.Input()) {
		return fmt.Errorf("%w: Input has another type than the protocol's input: %s", ErrConfig, inputgather.Type(p))
	}
	return nil
}

// witness returns the witnesses of client n: those of its room, if there are rooms.
func (c *Config) witness(n int) *witnesses {
	if c.roomSet != nil {
		return &c.roomSet.roomOf(n).witnesses
	}
	return c.witnesses
}

// isThin reports whether client n is thin. Thin clients are spread evenly.
func (c *Config) isThin(n int) bool { return (n+1)*c.Thin/c.Clients > n*c.Thin/c.Clients }
