package systems

import (
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/overload"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// DefaultSendRate is the number of snapshots a second where a configuration
// says 0.
const DefaultSendRate = 20

// ServerConfig configures a [Server]. The zero value is a server at 60 steps
// and 20 snapshots a second in which clients own nothing.
//
// Under policy.Rollback and policy.Lockstep the server sends no states. Fields that concern snapshots and lag compensation
// are not used there, and NewServer refuses Interest, ComponentInterest and Record.
type ServerConfig struct {
	// Seed is the root of everything random in the world.
	Seed uint64
	// TickRate is the number of simulation steps a second. Default (0): 60.
	TickRate int
	// WakeEvery is after how many steps the server wakes: at 3, a server of 60
	// steps a second wakes 20 times and simulates three steps each time. It must
	// divide TickRate. Default (0): 1.
	WakeEvery int
	// SendRate is the number of snapshots a second; it must divide TickRate ÷
	// WakeEvery. Default (0): the largest such number
	// up to 20.
	SendRate int
	// Model is the netcode model with its options, such as policy.Rollback{}. Clients learn it when they join: see
	// ClientConfig.Models. Default (nil): policy.LocalSync{}.
	Model policy.Model
	// MaxClients bounds the clients at one time. Default (0): 256.
	MaxClients int
	// Timeout is how long a client may be silent, at least 200 ms. Default (0):
	// 10 s.
	Timeout time.Duration
	// Key is the secret shared with whoever issues connect tokens. Default (zero):
	// development mode, in which clients issue their own; see netsys.DevelopmentKey.
	// NewServer refuses that with netsys.ErrInsecure on addresses that others can
	// reach.
	Key netcode.Key
	// MaxTokenLifetime is how far in the future the expiry of a connect token may lie;
	// players with others get no answer, which is counted and logged. At most
	// netcode.MaxLifetime. Default (0): 65 minutes.
	MaxTokenLifetime time.Duration
	// ProtocolID is the game and its version; tokens for another one are dropped.
	// Default (0): netsys.DefaultProtocolID.
	ProtocolID uint64
	// Addresses are this server's own, as tokens name them. Default (nil): where the
	// wire listens, for datagrams and for WebSockets.
	Addresses []netip.AddrPort
	// InsecureAllowAnyAddress allows development mode on any address: whoever can
	// reach the server can then read, forge and take over every session.
	InsecureAllowAnyAddress bool
	// Channels are the channels of messages beside inputs and snapshots. Clients must
	// have the same. Default (zero): those of channel.DefaultChannels.
	Channels channel.Config
	// Messages are the types of messages that travel on them. Clients must have the
	// same. May be nil.
	Messages *channel.Registry
	// OnMessage is called in Receive for every message that a client sent on a
	// channel, once; it is valid during the call. For typed messages make it call
	// channel.Dispatcher.Deliver. An error counts like a malformed input.
	// Where ticks are simulated again it may look at the world and not write it: see [ecs.Handle].
	// May be nil.
	OnMessage func(s *Server, client uint32, channel int, message []byte) error
	// Events are what happens once and is told, with their handlers; see package
	// event. Its registry takes the place of Messages. Each server has its own:
	// NewServer refuses those of another one. May be nil.
	Events *event.Server
	// Outcomes registers what is done about irreversible outcomes, by outcome.Handle; it
	// is called once, with the log of the server's world. When they are final follows
	// from Model. Default (nil): outcome.Raise does nothing.
	Outcomes func(l *outcome.Log)
	// LagComp makes the server remember what clients see, so that a system can look at the
	// world as a player saw it: see package lagcomp and [Client.Claim]. It costs a copy of
	// the world a wake-up. &lagcomp.Config{} is a good start. Default (nil): none.
	LagComp *lagcomp.Config
	// FirstTick is the number of the first tick, at most ecs.MaxTick, for a world that goes
	// on from where another server left it. Default: 0.
	FirstTick uint32
	// Start is when the first tick is due. Default (zero): at once, by the
	// clock of Run.
	Start time.Time
	// Login looks at what a client asks to be before it is let in: see [Login]. Default (zero): all are what they ask
	// to be.
	Login LoginFunc
	// Door is told who comes and goes, and may turn clients away before what they ask to be is read. Default (nil):
	// none.
	Door Door
	// ReconnectWindow is for how long the entities of a client wait for their player when its
	// session timed out, ended because the player came with another token, or the client said that the player is
	// away (see [Client.Away] and ecs.Protocol.Away): with neutral input. A session of the same client id (of tokens) that comes within
	// that time gets the same client number, and its player does not come again; one that
	// nobody comes back for leaves at the end of it. As many players are waited for as MaxClients, the latest. Default
	// (0): none.
	ReconnectWindow time.Duration
	// Accept looks at a value that a client wrote to a component registered with
	// ecs.ClientOwned, before it is written to the world: [Changed] has it. An error
	// refuses it; the client is told, and takes the server's value back. It is asked
	// between ticks, once a component and wake-up, and must not change the world. Values
	// are within their declared ranges, and of components that the client may write: see
	// [Grant]. Default (nil): all are accepted.
	Accept func(w *ecs.World, c Change) error
	// Refuse looks at an input before it is simulated; see [Refuse]. Where it refuses one,
	// what is held is repeated in its place, without presses, and the client is told, up
	// to ten times a second. Default (zero): none is refused.
	Refuse RefuseFunc
	// RefuseCommands look at the commands of clients, each at those of its type, before any peer runs them: see
	// [RefuseCommand]. Default (nil): none is refused.
	RefuseCommands []RefuseCommandFunc
	// CommandRate is how many commands a second the server takes of each client, up to 1000, and twice as many at once.
	// What is beyond is dropped, and the client is told. Default (0): 10.
	CommandRate int
	// Workers is how many goroutines share what grows with clients, up to 64: opening packets, reading inputs,
	// encoding snapshots, sealing and sending. As many as there are cores for the server is right. The world, its
	// hash and the bytes sent are the same for every number. Under ServerRewind inputs are read one after the other;
	// under Rollback and Lockstep, which send no states, packets alone are shared. Whoever sets it to more than 1
	// closes the server, which ends the goroutines. Default (0): 1, the server's own.
	Workers int
	// Overload says when newcomers are turned away, and what is given up where ticks take longer than there is time.
	// Default (zero): see [Overload].
	Overload Overload
	// Budget bounds one snapshot to one client, in bytes: its messages, without
	// what the session adds, at least 200. Where that is not enough for all there is
	// to tell, entities take turns. Where the session estimates that the path takes
	// less than that, a snapshot has as many bytes as it may send, but no fewer than
	// 200. Default (0): two datagrams. [Server.SetBudget] changes it for one client.
	Budget int
	// Priority says how much an entity matters to a client while the budget does
	// not hold all: with twice the priority it gets its turn about twice as often. Without it
	// whole groups of entities take turns, those first of which there is news, and what is encoded
	// serves many clients; with it clients choose by entity, and share little: for 100 clients, 500 entities that all
	// move and a budget of 1,200 bytes snapshots cost 12 times as much (BenchmarkPriority in systems/snapshot). It is
	// asked in Snapshot, and must neither change the world nor depend on anything
	// else. Priorities below 1/16 count as that much, so that nothing waits for ever.
	// Default (nil): 1 for all.
	Priority func(w *ecs.World, e ecs.Entity, client uint32) float32
	// Priorities say it as data, so that clients go on sharing what is encoded: what is near, by [ByDistance], and what has
	// a component, by [ByComponent]. How long something has waited, and whether there is news of it, counts besides.
	// NewServer refuses them together with Priority. Default (nil): all
	// matters the same.
	Priorities []Priority
	// Interest is which entities of others a client may know of: what is near, by a [Grid], who is in the same room
	// or team, by [Same], what a [Filter] says, and these combined by [And], [Or] and [HiddenUnless]. It is looked at for each send.
	// Of what a client may not know nothing is sent to it, not even that it is there. What is its own it always
	// knows. Default (nil): everything.
	Interest Interest
	// ComponentInterest is which clients may know a component of an entity, of those that know of the entity: see
	// [Only]. Default (nil): all.
	ComponentInterest []ComponentInterest
	// Coders are the coders that snapshots use.
	// Default: the smallest of all wins.
	Coders delta.Coders
	// Trained is what codec/train learned of this game's traffic: see [LoadTrained].
	// It makes snapshots smaller for clients that have the same; others get what is
	// built in, and the first of them is logged. Default
	// (nil): what is built in.
	Trained *delta.Trained
	// Record is written the state of the world at each send, for codec/train, without
	// owner-only components. It is written to in Snapshot, so give it a
	// [bufio.Writer] and flush that at the end. An error of it ends the recording and
	// is logged. Default (nil): no recording.
	Record io.Writer
	// Schedule, when not nil, may change the schedule before the server
	// starts: wrap, insert or leave out systems; NewServer says so when one is left out
	// that the model needs. ServerApply runs Simulate and Authority for each tick
	// that is simulated again. Where clients simulate everything, what changes the world
	// belongs in the protocol, since they run that.
	Schedule func(s *ecs.Schedule) error
	// Logger receives who joins, comes back and leaves, and why; of each client once that
	// its messages, inputs or changes were refused, that they were too many, that its budget
	// does not hold everything and that its world differs; whose connect token is refused, and
	// why (see netsys.ServerConfig.Logger); and every ten seconds at most that the machine is too
	// slow. Default (nil): none.
	Logger logging.Logger
	// Random fills the keys of the server's handshakes. Default (nil): crypto/rand.
	// Give a seeded source to make a whole match a function of its seed.
	Random func([]byte)
}

// Format implements [fmt.Formatter] without telling the key: where a verb does not fit,
// fmt asks no method of a field.
func (c ServerConfig) Format(f fmt.State, verb rune) {
	type printed ServerConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Overload says what a server gives up where its ticks take longer than there is time, in which order, and when newcomers
// are turned away so that it need not. [ServerStats] say where it stands.
type Overload = overload.Policy

// defaultBudget is two datagrams.
const defaultBudget = 2 * netsys.MaxPayload

const (
	defaultMaxClients = 256
	defaultTimeout    = 10 * time.Second
	defaultCommands   = 10
	maxCommands       = 1000
	maxWorkers        = 64

	defaultConnectTimeout = 20 * time.Second
)

// filled is c with the documented defaults in place of zeros.
func (c ServerConfig) filled() ServerConfig {
	c.TickRate = cmp.Or(c.TickRate, ecs.DefaultTickRate)
	c.WakeEvery = cmp.Or(c.WakeEvery, 1)
	if c.SendRate == 0 {
		wakes := c.TickRate / max(c.WakeEvery, 1)
		for c.SendRate = max(min(DefaultSendRate, wakes), 1); wakes%c.SendRate != 0; {
			c.SendRate--
		}
	}
	if c.Model == nil {
		c.Model = policy.LocalSync{}
	}
	c.Budget, c.MaxClients = cmp.Or(c.Budget, defaultBudget), cmp.Or(c.MaxClients, defaultMaxClients)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.CommandRate, c.Workers = cmp.Or(c.CommandRate, defaultCommands), cmp.Or(c.Workers, 1)
	c.Logger = logging.Or(c.Logger)
	return c
}

// sessions is what the sessions below are told.
func (c ServerConfig) sessions() netsys.ServerConfig {
	lines := c.Messages.Lines()
	if c.Events != nil {
		lines = c.Events.Registry().Lines()
	}
	return netsys.ServerConfig{
		Key:                     c.Key,
		MaxTokenLifetime:        c.MaxTokenLifetime,
		ProtocolID:              c.ProtocolID,
		Addresses:               c.Addresses,
		InsecureAllowAnyAddress: c.InsecureAllowAnyAddress,
		Channels:                c.Channels,
		Messages:                lines,
		MaxClients:              c.MaxClients,
		Timeout:                 c.Timeout,
		Random:                  c.Random,
		Logger:                  c.Logger,
	}
}
