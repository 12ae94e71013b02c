package systems

import (
	"cmp"
	"net/netip"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/recording"
)

// DefaultHistory is the default of Prediction.History at up to 60 ticks a second. At higher rates the default is as long in
// seconds: 8.5 s.
const DefaultHistory = 512

// historyTicks returns Prediction.History for the tick rate of the server.
func (c ClientConfig) historyTicks(tickRate int) int {
	return min(cmp.Or(c.Prediction.History, max(DefaultHistory, DefaultHistory*tickRate/ecs.DefaultTickRate)), maxHistory)
}

const maxHistory = 1 << 14

// ClientConfig configures a client. The zero value works: neutral input, in development mode.
type ClientConfig struct {
	// Models are the netcode models that this client plays, usually the value of ServerConfig.Model. The client reads
	// the options that the server does not send, such as policy.Buffered.Damping. The session ends with an error that
	// wraps [ErrConfig] if the server plays none of these models. Default (nil): all models with their default options.
	Models []policy.Model
	// Gather fills the input of the next tick: see [Gather]. It starts from the zero input. Default (nil): the zero input
	// every tick.
	Gather GatherFunc
	// Login is the login of this player, a value of the type of the protocol's [ecs.Join]. The server may change or refuse
	// it: see Players.Login. If it refuses, Client.Err wraps netsys.ErrLogin. NewClient returns an error that wraps
	// [ErrConfig] for another type. Default (nil): the zero value.
	Login any

	// Spectate connects the client as a spectator: it has no player, no entities and no inputs, sends no messages, and Login
	// is not used. Under snapshots it sees everything or what one player sees, as Players.Sight of the server decides. Under
	// Rollback and Lockstep it simulates and knows everything. It needs a server with Players.Spectators.
	Spectate bool
	// Session configures the connection: token, reconnection, timeouts, channels, and travel to other rooms.
	Session ClientSession
	// Prediction configures what the client predicts, and how corrections look. Rollback and Lockstep use only Partial and,
	// with Rollback, Smoothing.
	Prediction Prediction

	// Events receives events with their handlers: see package event. Its registry, like the server's, replaces
	// Session.Messages. Use each value for one client at a time. May be nil.
	Events *event.Client
	// Outcomes registers handlers of irreversible outcomes that this client predicts, by outcome.Handle. It is called once,
	// when the client is connected, with the log of the client's world. Clients predict outcomes under ServerRewind and
	// Rollback, and with PredictOutcomes. Default (nil): outcome.Raise does nothing.
	Outcomes func(l *outcome.Log)
	// Loaded is called once per room, when all state of the join has arrived. w contains the entities of others exactly at
	// tick; all of them appear at this moment. May be nil.
	Loaded func(w *ecs.World, tick uint32)
	// OnPresence is called when an entity appears in Client.World, after its components are set, and when it leaves, before
	// they are removed. The change contains the reason: see [Reason]. It is called in Receive, and under Rollback and
	// Lockstep in Predict after each tick, where it may read the world but not write it: see [ecs.Handle]. Client.View is
	// drawn in the past and shows a leaving entity a little longer. An entity that the client spawns ahead of the server
	// appears when the server sends it. May be nil.
	OnPresence func(w *ecs.World, c PresenceChange)
	// OnRefused is called in Receive for each input, command or write of this client that the server refused, once and in
	// order. May be nil.
	OnRefused func(Refusal)

	// Record records what this client receives: for a replay of a player's last seconds use a recording.Ring. Each segment makes the
	// server send all entities in sight again, except under Rollback and Lockstep, where it starts with the client's own world. A replay
	// shows own entities as the server had them. Default (nil): nothing is recorded.
	Record *recording.Writer
	// Start is the time of the first tick. Default (zero): immediately, by the clock of Dial.
	Start time.Time
	// Systems are custom systems that replace those of this package. Default: none.
	Systems ClientSystems
	// Schedule changes the schedule before the client starts: it may wrap, insert or remove systems. [Thin] is a schedule
	// for bots. The session ends with an error that wraps [ErrConfig] if a system is missing that the server's model needs.
	// May be nil.
	Schedule func(s *ecs.Schedule) error
	// Logger receives changes of the session, once that messages of the server were refused, and at most every ten seconds
	// that the machine is too slow. Default (nil): nothing is logged.
	Logger logging.Logger
}

// ClientSession configures the connection of a client.
type ClientSession struct {
	// Token is the connect token from the login service. Default (nil): development mode, in which the client issues its
	// own token. NewClient then returns netsys.ErrInsecure for a server on another machine.
	Token *netcode.ConnectToken
	// Reconnect makes the client start a new session on the same wire after one that ended for a temporary reason: see
	// netsys.MayReconnect. It waits 0.25 s at first and later up to 4 s, and retries until it is admitted, refused or
	// closed. With Renew, an expired token is such a reason. Meanwhile [Client.Lost] returns the reason. A server with Players.ReconnectWindow gives the next session the
	// same client number and entities. With a Token, Reconnect needs Renew. Default (false): the client ends with its
	// session.
	Reconnect bool
	// Renew returns the connect token of the next session when a client reconnects, because a token is valid once. It must
	// not block. Advance calls it until it returns a token or an error; return nil for not yet. An error ends the client.
	// Default (nil): development mode.
	Renew func() (*netcode.ConnectToken, error)
	// ClientID identifies the player in development mode. Otherwise the token contains it. Default (0): a random number.
	ClientID uint64
	// ProtocolID identifies the game and its version in development mode. Default (0): netsys.DefaultProtocolID.
	ProtocolID uint64
	// InsecureAllowAnyAddress allows development mode with a server at any address.
	InsecureAllowAnyAddress bool
	// Timeout ends a session that has received nothing for this long, at least 200 ms. More than 16,384 ticks of the server count as
	// 16,384. The time during which this process was suspended does not count, but after more than 16,384 ticks of it the session
	// ends if nothing arrives for another 150. Default (0): 10 s.
	Timeout time.Duration
	// ConnectTimeout limits the time until the client is admitted. A handshake needs three round trips. With a token it
	// applies to each address that is tried. Default (0): 20 s, or Timeout if that is less.
	ConnectTimeout time.Duration
	// Channels are the channels for messages, as in ServerSession.
	Channels channel.Config
	// Messages are the types of messages, as in ServerSession. May be nil.
	Messages *channel.Registry
	// OnMessage is called in Receive once for each message of the server on a channel. The message is valid during the
	// call. For typed messages, call channel.Dispatcher.Deliver. An error counts as a malformed snapshot. Under Rollback
	// and Lockstep, OnMessage, Loaded and OnRefused may read the world but not write it: see [ecs.Handle]. May be nil.
	OnMessage func(c *Client, channel int, message []byte) error
	// Trained are statistics of this game's traffic from codec/train: see [LoadTrained]. They are used if the server has
	// the same; otherwise the client logs the difference. Default (nil): the built-in statistics.
	Trained *delta.Trained
	// Reach opens a wire to another room to which the server sends this client, and returns the address for NewClient: the
	// zero AddrPort means the addresses of the token. The client owns the wire. Reach must not block: see
	// websocket.DialConfig.Begin. After an error the client stays in its room. Default (nil): a new UDP wire if the
	// client's wire is a *netsys.UDP; otherwise OnTravel receives the ticket.
	Reach func(t Ticket) (wire netsys.Wire, server netip.AddrPort, err error)
	// OnTravel receives a ticket that the client does not follow itself: to a room of another protocol, or without Reach.
	// Create another client with its token, over UDP or its URLs, and close c when that one is connected. c continues until
	// then. Advance calls OnTravel before anything else; it may close c. Default (nil): such tickets are counted.
	OnTravel func(c *Client, t Ticket)
	// Random fills the token's keys and the client id with random bytes in development mode. A seeded source makes a whole
	// match a function of its seed. Default (nil): crypto/rand.
	Random func([]byte)
}

// Prediction configures what a client simulates ahead of the server, and how corrections look.
type Prediction struct {
	// History is the number of predicted ticks that are stored for reconciliation: at least the round trip, the server's
	// buffer and one interval between snapshots together. Default (0): [DefaultHistory].
	History int
	// Partial fills the input at the moment of a frame: see [Gather]. With it, simulated entities are drawn between ticks:
	// each [Client.Frame] simulates the elapsed part of the next tick with this input, draws the result, and undoes the
	// change. Partial may be called any number of times between two ticks, so it must not change or consume anything; the
	// tick itself calls Gather. Rules must scale by World.Step. Spawns, despawns, added and removed components, events and
	// outcomes appear with the tick. Under Rollback and Lockstep everything is drawn this way, with the known inputs of the
	// next tick and the repeated inputs of others; Partial is called if the player has no input for that tick yet. Default
	// (nil): entities are drawn as of the newest tick, and move in steps if frames and ticks do not coincide.
	Partial GatherFunc
	// Scope returns whether the client simulates an entity of its world: see [Scope]. It is called when the entity appears
	// and when its components change, and may read w. Default (nil): ScopeOwn.
	Scope func(w *ecs.World, e ecs.Entity) Scope
	// Assume fills the inputs of entities of others that the client simulates, because these inputs are not sent: for
	// example from a component that stores the player's held keys. See [Assume]. Default (nil): neutral.
	Assume AssumeFunc
	// Smoothing says how simulated entities are drawn after a correction.
	Smoothing interpolate.Smoothing
	// OnMismatch is called for each component that a correction changed by more than its tolerance, with the first such
	// field. May be nil.
	OnMismatch func(Mismatch)
}

// SessionConfig returns the netsys configuration of the session, for custom clients such as those of package swarm. It returns
// an error if Login does not have the type of the protocol's [ecs.Join]. If p is nil, SessionConfig leaves Schema and Login
// empty.
func (c ClientConfig) SessionConfig(p *ecs.Protocol) (s netsys.ClientConfig, err error) {
	lines := c.Session.Messages.Lines()
	if c.Events != nil {
		lines = c.Events.Registry().Lines()
	}
	s = netsys.ClientConfig{
		Token: c.Session.Token, ClientID: c.Session.ClientID, ProtocolID: c.Session.ProtocolID, InsecureAllowAnyAddress: c.Session.InsecureAllowAnyAddress,
		Channels: c.Session.Channels, Messages: lines, Timeout: c.Session.Timeout, Tag: c.Session.Trained.Hash(), Random: c.Session.Random,
		Spectate: c.Spectate,
	}
	if p != nil {
		s.Schema = p.Lines()
	}
	if p != nil && !c.Spectate {
		s.Login, err = encodeLogin(p, c.Login)
	}
	return s, err
}

func (c ClientConfig) filled() ClientConfig {
	c.Session.ConnectTimeout = cmp.Or(c.Session.ConnectTimeout, min(cmp.Or(c.Session.Timeout, defaultConnectTimeout), defaultConnectTimeout))
	c.Logger = logging.Or(c.Logger)
	return c
}

// connectTimeout returns the timeout for all addresses of the token together, or for server if it is valid.
func (c ClientConfig) connectTimeout(server netip.AddrPort) time.Duration {
	if server.IsValid() || c.Session.Token == nil {
		return c.Session.ConnectTimeout
	}
	return c.Session.ConnectTimeout * time.Duration(max(len(c.Session.Token.Servers), 1))
}

// GatherFunc fills one input of the protocol's input type. Create it with [Gather].
type GatherFunc struct {
	fill func(*Client, unsafe.Pointer)
	of   func(*ecs.Protocol) *ecs.Component
}

// Gather returns a GatherFunc that calls fill. T must be the protocol's input type; otherwise [NewClient] returns an error.
// Several clients may share a GatherFunc: c is the client whose input is filled. [Client.Advance] calls fill for
// ClientConfig.Gather, and [Client.Frame] for Prediction.Partial, once c is connected. [Client.World] and [Client.View] then
// exist. [Client.Own] finds the player's entity once the server has sent it. fill may read the client, send messages, and
// call [Client.Claim], which returns an empty claim in Partial. It must not call Advance, Frame or Close.
func Gather[T any](fill func(c *Client, in *T)) GatherFunc {
	return GatherFunc{
		fill: func(c *Client, p unsafe.Pointer) { fill(c, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}

// by returns the function for a client, or nil if g is the zero value.
func (g GatherFunc) by(c *Client) func(unsafe.Pointer) {
	if g.fill == nil {
		return nil
	}
	return func(p unsafe.Pointer) { g.fill(c, p) }
}

// Scope selects whether a client simulates an entity. Set it with ClientConfig.Prediction.Scope or [Client.SetScope].
type Scope = predict.Mode

// See the constants of package predict.
const (
	ScopeOwn          = predict.ModeOwn
	ScopeCoSimulated  = predict.ModeCoSimulated
	ScopeInterpolated = predict.ModeInterpolated
)

// AssumeFunc fills the input of an entity of another player. Make one with [Assume].
type AssumeFunc struct {
	fill func(*Client, ecs.Entity, unsafe.Pointer)
	of   func(*ecs.Protocol) *ecs.Component
}

// Assume returns an AssumeFunc that calls fill. T must be the protocol's input type; otherwise [NewClient] returns an error.
// e is an entity of c's [Client.World]. The result of fill must depend only on that world, because fill is also called in
// replays and in partial ticks.
func Assume[T any](fill func(c *Client, e ecs.Entity, in *T)) AssumeFunc {
	return AssumeFunc{
		fill: func(c *Client, e ecs.Entity, p unsafe.Pointer) { fill(c, e, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}

// by returns the function for a client, or nil if a is the zero value.
func (a AssumeFunc) by(c *Client) func(ecs.Entity, unsafe.Pointer) {
	if a.fill == nil {
		return nil
	}
	return func(e ecs.Entity, p unsafe.Pointer) { a.fill(c, e, p) }
}
