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

// UsualSendRate is the number of snapshots per second that a server sends at least, while it has time, if Snapshots.SendRate is 0; or
// the largest smaller number that divides the wake-ups.
const UsualSendRate = 20

// ServerConfig configures a server. The zero value works: LocalSync at 60 ticks a second, in development mode.
type ServerConfig struct {
	// Seed seeds all randomness of the world.
	Seed uint64
	// TickRate is the number of simulation steps a second. Default (0): 60.
	TickRate int
	// WakeEvery is the number of steps per wake-up of the server. With 3, a server of 60 steps a second wakes 20 times a
	// second and simulates three steps each time. It must divide TickRate. Default (0): 1.
	WakeEvery int
	// Model is the netcode model with its options, such as policy.Rollback{}. Clients learn it when they join: see
	// ClientConfig.Models. Default (nil): policy.LocalSync{}.
	Model policy.Model
	// MaxClients is the largest number of players at one time, with those who may return (see Players.ReconnectWindow) and
	// those whose handshake is not finished. Further ones are refused with netsys.ErrServerFull. Default (0): 256.
	MaxClients int

	// Session configures connections: keys and addresses, timeouts, and the channels for messages.
	Session ServerSession
	// Players configures login and reconnection, and which inputs, commands and writes of players are refused.
	Players Players
	// Snapshots configures the state that the server sends: how often, how much, and to whom. Rollback and Lockstep send
	// inputs instead: they refuse Interest, ComponentInterest and Record, and ignore the other fields.
	Snapshots Snapshots

	// Events sends events such as a sound once, to chosen clients: see package event. Its registry replaces
	// Session.Messages. Give each server its own value: NewServer returns an error for one of another server. May be nil.
	Events *event.Server
	// Outcomes registers handlers of irreversible outcomes by outcome.Handle. NewServer calls it once, with the log of the
	// server's world. Model determines when an outcome is final. Default (nil): outcome.Raise does nothing.
	Outcomes func(l *outcome.Log)
	// LagComp makes the server store what clients see, so that a system can inspect the world as a player saw it: see
	// package lagcomp and [Client.Claim]. It costs a copy of the world per wake-up. &lagcomp.Config{} has good defaults.
	// Rollback and Lockstep ignore it: their players see the present. Default (nil): nothing is stored.
	LagComp *lagcomp.Config

	// FirstTick is the number of the first tick, at most ecs.MaxTick. Use it for a world that continues the ticks of
	// another server. Default: 0.
	FirstTick uint32
	// Load is a save that [Server.Save] encoded, of the same game and of any model. The server continues with its world, seed
	// and tick instead of Seed and FirstTick. Do not populate the world again. All players are absent, and their
	// ReconnectWindow starts with the server. A player who returns in time gets the same client number and entities. Fields
	// and components of the protocol may have changed: see [ecs.Netcode.Load]. For any other change NewServer returns an error
	// that wraps [ErrLoad], and unless LoadLossy is set, for another TickRate and for a save that has components or fields that
	// this protocol lacks. The latter are left out if the protocol is a later version: if both names end with a number after a
	// slash, as in "game/3", and its number is the higher one. The bytes may be untrusted. Package save reads files. Default
	// (nil): an empty world.
	Load []byte
	// LoadLossy loads a save although parts of it are lost: components and fields that the protocol lacks are left out, and
	// counts of ticks last another time if the TickRate has changed. The log names what is left out. In rooms, the save is kept,
	// and a save that cannot be loaded at all gives a new world: see rooms.ErrSave. Default (false): NewServer returns an error.
	LoadLossy bool
	// Start is the time of the first tick. Default (zero): immediately, by the clock of Run.
	Start time.Time
	// Flight keeps what happened in the last ticks, and writes it to a file when the game panics: see [Flight]. It costs a hash
	// of the world in one tick of eight, and a copy of it per checkpoint. ServerRewind refuses it together with LagComp. Default
	// (nil): nothing is kept.
	Flight *Flight
	// Workers is the number of goroutines, up to 64, that share the work per client: opening packets, reading inputs,
	// encoding snapshots, sealing and sending. Set it to the number of cores for the server. The world, its hash and the
	// sent bytes do not depend on it. ServerRewind reads inputs on one goroutine; Rollback and Lockstep share only the
	// work on packets. With more than 1, close the server to end the goroutines. Default (0): 1, the caller's own.
	Workers int
	// Overload says when the server refuses new clients, and what it reduces, in which order, when ticks take too long.
	// Default (zero): see [Overload].
	Overload Overload
	// Schedule changes the schedule before the server starts: it may wrap, insert or remove systems. NewServer returns an
	// error if a system is missing that the model needs. ServerApply runs Simulate and Authority for each re-simulated
	// tick. Under ServerRewind, Rollback and Lockstep, put what changes the world into the protocol, because ticks are
	// simulated again, also by clients. May be nil.
	Schedule func(s *ecs.Schedule) error
	// Logger receives who joins, returns and leaves, with the reason; each refused connect token with advice (see
	// netsys.ServerConfig.Logger); at most every ten seconds that the machine is too slow; and once per client that
	// messages, inputs or writes were refused, that there were too many, that the budget is too small for all changes,
	// and that the client's world differs. Default (nil): nothing is logged.
	Logger logging.Logger
}

// ServerSession configures the connections of a server.
type ServerSession struct {
	// Key is the secret shared with the issuer of connect tokens. Default (zero): development mode, in which clients
	// issue their own tokens; see netsys.DevelopmentKey. NewServer then returns netsys.ErrInsecure if other machines can
	// reach the address.
	Key netcode.Key
	// MaxTokenLifetime is the longest remaining lifetime of a connect token. Clients with other tokens get no answer; the
	// server counts and logs them. At most netcode.MaxLifetime. Default (0): 65 minutes.
	MaxTokenLifetime time.Duration
	// ProtocolID identifies the game and its version. Tokens with another id are dropped. Default (0):
	// netsys.DefaultProtocolID.
	ProtocolID uint64
	// Addresses are the server's addresses as tokens name them. Default (nil): the addresses on which the wire listens,
	// for datagrams and for WebSockets.
	Addresses []netip.AddrPort
	// InsecureAllowAnyAddress allows development mode on any address. Anybody who can reach the server can then read, forge
	// and take over every session.
	InsecureAllowAnyAddress bool
	// Timeout ends a session that has received nothing for this long, at least 200 ms. More than 16,384 ticks (273 s at 60 ticks a
	// second) count as 16,384 ticks, because the numbers of inputs and snapshots are 16 bits on the wire. The time during which this
	// process was suspended does not count. Default (0): 10 s.
	Timeout time.Duration
	// Channels are the channels for messages, which do not carry inputs or snapshots. Clients must have the same.
	// Default (zero): channel.DefaultChannels.
	Channels channel.Config
	// Messages are the types of messages on the channels. Clients must have the same. May be nil.
	Messages *channel.Registry
	// OnMessage is called in Receive once for each message of a client on a channel. The message is valid during the call.
	// For typed messages, call channel.Dispatcher.Deliver. An error counts as a malformed input. Under ServerRewind,
	// Rollback and Lockstep, OnMessage may read the world but not write it: see [ecs.Handle]. May be nil.
	OnMessage func(s *Server, client uint32, channel int, message []byte) error
	// Random fills the keys of handshakes with random bytes. A seeded source makes a whole match a function of its seed.
	// Default (nil): crypto/rand.
	Random func([]byte)
}

// Players configures which players join, how they return, and what the server accepts from them.
type Players struct {
	// Login checks and changes the login value of a new client: see [Login]. Default (zero): every login is accepted as
	// it is.
	Login LoginFunc
	// Spectators is the largest number of spectators at one time, in addition to MaxClients: see ClientConfig.Spectate. They
	// join no game, and the world does not depend on them. Login does not run for them. Default (0): none are admitted.
	Spectators int
	// Sight returns the client number of the player whose interest decides what a spectator sees, or 0 for everything. It is
	// called when the spectator has connected. It must not change the world. Default (nil): spectators see everything.
	Sight func(spectator netsys.Session) (client uint32)
	// Admission may refuse clients before Login runs, and is called when clients join and leave. Default (nil): nobody is
	// refused.
	Admission AdmissionHandler
	// ReconnectWindow is how long the entities of a disconnected player stay, with neutral input. It applies to sessions
	// that timed out, that a new token of the same player replaced, and whose player is away (see [Client.Away] and
	// ecs.Protocol.Away). A session of the same client id within the window gets the same client number, and the join
	// function does not run again. After the window the player leaves. Until then its seat counts towards
	// MaxClients and goes to nobody else; only with Admission, which assigns the seats, the server keeps the latest MaxClients
	// such players. Default (0): players leave with their session.
	ReconnectWindow time.Duration
	// Refuse checks an input before it is simulated: see [Refuse]. In place of a refused input the last one is repeated,
	// without presses, and the client is notified, up to ten times a second. Default (zero): all inputs are accepted.
	Refuse RefuseFunc
	// RefuseCommands check the commands of clients before any peer runs them, each for one type: see [RefuseCommand].
	// Default (nil): all commands are accepted.
	RefuseCommands []RefuseCommandFunc
	// CommandRate is the number of commands a second that the server accepts from each client, up to 1000, with bursts of
	// twice as many. Further commands are dropped, and the client is notified. Default (0): 10.
	CommandRate int
}

// Snapshots configures the state that a server sends to its clients.
type Snapshots struct {
	// SendRate is the number of snapshots a second. It must divide TickRate ÷ WakeEvery. Default (0): as many as the load of the
	// server and the path of each client allow, at most one every wake-up, and usually at least [UsualSendRate]: see [Overload].
	SendRate int
	// Budget is the largest size of one snapshot to one client in bytes, without the overhead of the session, at least
	// 200. If not all changes fit, entities take turns. If the session estimates that the path carries less, a snapshot
	// gets smaller, but not below 200. [Server.SetBudget] changes the budget of one client. Default (0): two datagrams.
	//
	// If SendRate is 0, the budget is that of a snapshot at the usual rate, and limits the bytes a second at any rate: three times
	// as many snapshots get a third each. A client whose changes do not fit gets snapshots at the usual rate, with the whole budget.
	Budget int
	// Priority returns how much an entity matters to a client if the budget is too small for all: [ByDistance],
	// [ByComponent], a product of [Priorities], or a function of the game. An entity with twice the priority is sent about
	// twice as often. Without Priority entities take turns in chunks of 64, and clients without an Interest share the
	// encoding; with it each client chooses entities for itself, which costs the server up to eight times as much if all
	// choose differently (BenchmarkLoad and BenchmarkPriority in systems/snapshot). Priority is called in Snapshot, with
	// ServerConfig.Workers above 1 on several goroutines: when an entity comes into sight, and then at one in four
	// snapshots of the client. It must not change the world or depend on anything else. Values below 1/16 count as 1/16,
	// so every entity is sent eventually.
	// Default (nil): 1 for all.
	Priority Priority
	// Interest selects the entities of others that a client may know: near ones by a [Grid], the same room or team by
	// [Same], any others by a [Filter], combined by [And], [Or] and [HiddenUnless]. It is evaluated for each snapshot. The
	// server sends nothing about other entities, not even that they exist. A client always knows its own entities.
	// Default (nil): everything.
	Interest Interest
	// ComponentInterest selects the clients that may know a component of an entity, among those that know the entity: see
	// [Only]. Default (nil): all of them.
	ComponentInterest []ComponentInterest
	// Coders selects the coders of snapshots. Default: all, see docs/spec/wire-blocks.md.
	Coders delta.Coders
	// Trained are statistics of this game's traffic from codec/train: see [LoadTrained]. Snapshots are smaller for clients
	// with the same statistics. Other clients use the built-in ones; the server logs the first such client. Default (nil):
	// the built-in statistics.
	Trained *delta.Trained
	// Record receives the state of the world at each snapshot for codec/train, without owner-only components. Pass a
	// [bufio.Writer] and flush it at the end. A write error ends the recording and is logged. Default (nil): no recording.
	Record io.Writer
}

// Format implements [fmt.Formatter]. It prints the configuration without the key, also for verbs that do not match: for those
// fmt does not call the methods of fields.
func (c ServerConfig) Format(f fmt.State, verb rune) {
	type printed ServerConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Overload configures what a server reduces, and in which order, when its ticks take too long, and when it refuses new
// players. [ServerStats] contains the current step.
//
//	Off   bool                 // give nothing up, admit everybody; ticks more than five behind are dropped nevertheless
//	Admit float64              // the load, up to 1, above which new players get netsys.ErrBusy; 0: 0.85
//	Clock func() time.Duration // how long the process has run; nil: the machine's clock under Run and in rooms, else none
type Overload = overload.Policy

// defaultBudget is two datagrams.
const defaultBudget = 2 * netsys.MaxPayload

const (
	defaultMaxClients = 256
	defaultTimeout    = 10 * time.Second
	defaultCommands   = 10
	maxCommands       = 1000
	maxWorkers        = 64

	// maxSilence is the number of ticks without a message after which a session ends. Numbers on the wire have 16 bits: a peer that
	// missed 1<<15 of them could not tell older numbers from newer ones.
	maxSilence = 1 << 14
	// wokenSilence replaces maxSilence after this process was suspended for longer, in ticks: the other end has probably ended the
	// session, unless it was suspended too.
	wokenSilence = 150

	defaultConnectTimeout = 20 * time.Second
)

// filled returns c with the documented defaults in place of zeros.
func (c ServerConfig) filled() ServerConfig {
	c.TickRate = cmp.Or(c.TickRate, ecs.DefaultTickRate)
	c.WakeEvery = cmp.Or(c.WakeEvery, 1)
	if c.Model == nil {
		c.Model = policy.LocalSync{}
	}
	c.Snapshots.Budget, c.MaxClients = cmp.Or(c.Snapshots.Budget, defaultBudget), cmp.Or(c.MaxClients, defaultMaxClients)
	c.Session.Timeout = cmp.Or(c.Session.Timeout, defaultTimeout)
	if longest := maxSilence * time.Second / time.Duration(c.TickRate); c.TickRate > 0 {
		c.Session.Timeout = min(c.Session.Timeout, longest)
	}
	c.Players.CommandRate, c.Workers = cmp.Or(c.Players.CommandRate, defaultCommands), cmp.Or(c.Workers, 1)
	c.Logger = logging.Or(c.Logger)
	return c
}

// slots returns the number of slots of the transport for a number of places. Roster.Admit counts the places; the other
// slots are for clients that it refuses, so that these do not lock out a player with a reserved seat.
func slots(places int) int { return min(places+places/4+8, max(places, maxSlots)) }

// maxSlots is the largest number of slots of a transport.
const maxSlots = 1 << 16

// sessions returns the netsys configuration of the server's sessions.
func (c ServerConfig) sessions() netsys.ServerConfig {
	lines := c.Session.Messages.Lines()
	if c.Events != nil {
		lines = c.Events.Registry().Lines()
	}
	return netsys.ServerConfig{
		Key:                     c.Session.Key,
		MaxTokenLifetime:        c.Session.MaxTokenLifetime,
		ProtocolID:              c.Session.ProtocolID,
		Addresses:               c.Session.Addresses,
		InsecureAllowAnyAddress: c.Session.InsecureAllowAnyAddress,
		Channels:                c.Session.Channels,
		Messages:                lines,
		MaxClients:              slots(c.MaxClients + c.Players.Spectators),
		Timeout:                 c.Session.Timeout,
		Random:                  c.Session.Random,
		Logger:                  c.Logger,
	}
}

// usualSendRate returns the rate below which snapshots are given up only if the server has no time: Snapshots.SendRate, or the largest
// possible one up to UsualSendRate.
func (c *ServerConfig) usualSendRate() (rate int) {
	if c.Snapshots.SendRate > 0 {
		return c.Snapshots.SendRate
	}
	wakes := c.maxSendRate()
	for rate = min(UsualSendRate, wakes); wakes%rate != 0; {
		rate--
	}
	return rate
}

// maxSendRate returns the largest number of snapshots per second.
func (c *ServerConfig) maxSendRate() int { return cmp.Or(c.Snapshots.SendRate, c.TickRate/c.WakeEvery) }

// sendRates returns the rates of snapshots among which the server chooses, down to the usual one.
func (c *ServerConfig) sendRates() (rates []int) {
	usual, highest := c.usualSendRate(), c.maxSendRate()
	for rate := highest; rate >= usual; rate-- {
		if highest%rate == 0 {
			rates = append(rates, rate)
		}
	}
	return rates
}
