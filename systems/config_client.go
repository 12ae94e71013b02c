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
)

// DefaultHistory is how many predicted ticks a client keeps where its
// configuration says 0: 8.5 s at 60 a second.
const DefaultHistory = 512

// ClientConfig configures a [Client]. The zero value is a spectator.
//
// Under policy.Rollback and policy.Lockstep clients simulate everything from the inputs of all players. History, Trained,
// Scope, Assume and OnMismatch are not used there.
type ClientConfig struct {
	// Models are the netcode models that this client plays, usually the value of ServerConfig.Model. The client reads
	// the options that the server does not send, such as policy.Buffered.Damping. The session ends with an error that
	// wraps [ErrConfig] if the server plays none of these models. Default (nil): all models with their default options.
	Models []policy.Model
	// Gather fills the input of the coming tick; see [Gather]. It starts from
	// the zero input. Default (nil): the zero input every tick.
	Gather GatherFunc
	// Partial fills the input as it is at the moment a frame is drawn; see [Gather]. With
	// it what the client simulates is drawn between ticks, too: each [Client.Frame] runs
	// the rules for that part of the coming tick which has passed, with this input, draws
	// what comes of it and takes it back. It may be asked any number of times between two
	// ticks, so it changes nothing and uses nothing up; the tick itself asks Gather. The
	// rules scale what they do by World.Step; what they spawn, despawn, add or remove shows
	// with the tick, and so do events and outcomes. Where every peer simulates everything,
	// everything is drawn so: with the inputs that are known for the coming tick, those of
	// others repeated until they are; this one is asked for where the player has none in that
	// tick yet. Default (nil): drawn as of the newest tick, in steps where ticks and frames do
	// not coincide.
	Partial GatherFunc
	// History is Q: how many predicted ticks are kept for reconciling, at least
	// the round trip, the server's buffer and one send gap together. Default (0): 512.
	History int
	// Trained is what codec/train learned of this game's traffic: see [LoadTrained].
	// It is used where the server has the same; another one is logged. Default (nil): what is built in.
	Trained *delta.Trained
	// Timeout is how long the server may be silent, at least 200 ms. Default (0):
	// 10 s. After it the session has ended: see Reconnect.
	Timeout time.Duration
	// ConnectTimeout is how long it may take to be let in, for which a handshake needs
	// three round trips; for each address of a token, where these are tried. Default
	// (0): Timeout where that is given, else 20 s.
	ConnectTimeout time.Duration
	// Token is what the login service gave this player. Default (nil): development
	// mode, in which the client issues its own; NewClient refuses that with
	// netsys.ErrInsecure for a server on another machine.
	Token *netcode.ConnectToken
	// ClientID is who the player is, in development mode; tokens say it otherwise.
	// Default (0): a random one.
	ClientID uint64
	// ProtocolID is the game and its version, in development mode. Default (0):
	// netsys.DefaultProtocolID.
	ProtocolID uint64
	// Reconnect makes the client begin another session, on the same wire, when one has ended for a reason that another
	// may mend: see netsys.MayReconnect. It waits a quarter of a second first, later up to 4 s, and goes on until it
	// is let in, is refused, or is closed. [Client.Lost] has the reason meanwhile. A server with
	// ServerConfig.ReconnectWindow gives the next session the same client number and entities. With a Token it needs
	// Renew. Default (false): the client ends with its session.
	Reconnect bool
	// Renew returns the connect token of the next session of a client that reconnects, as a token serves once. It must
	// not wait: it is asked in Advance until it returns a token or an error; nil is that there is none yet. An
	// error ends the client. Default (nil): development mode.
	Renew func() (*netcode.ConnectToken, error)
	// InsecureAllowAnyAddress allows development mode to any address.
	InsecureAllowAnyAddress bool
	// Channels are the channels of messages, as in ServerConfig.
	Channels channel.Config
	// Messages are the types of messages, as in ServerConfig. May be nil.
	Messages *channel.Registry
	// OnMessage is called in Receive for every message that the server sent on a
	// channel, once; it is valid during the call. For typed messages make it call
	// channel.Dispatcher.Deliver. An error counts like a malformed snapshot.
	// Under Rollback and Lockstep it, Loaded and OnRefused may look at the world and not write
	// it: see [ecs.Handle]. May be nil.
	OnMessage func(c *Client, channel int, message []byte) error
	// Events are what happens once and is told, with their handlers; see package
	// event. Its registry, like the server's, takes the place of Messages. One client
	// has them at a time. May be nil.
	Events *event.Client
	// Outcomes registers what is done about irreversible outcomes that this client
	// foresees, by outcome.Handle; it is called once, when the client is connected, with
	// the log of its world. Clients predict outcomes under
	// policy.ServerRewind and policy.Rollback, and with PredictOutcomes. Default (nil): outcome.Raise
	// does nothing.
	Outcomes func(l *outcome.Log)
	// Scope says whether the client simulates an entity of its world; see [Scope]. It is
	// asked when the entity has come and when its components have changed, and may read w.
	// Default (nil):
	// ScopeOwn.
	Scope func(w *ecs.World, e ecs.Entity) Scope
	// Assume fills the inputs of others' entities that the client simulates, because
	// inputs of others do not travel: from a component that keeps what the player holds,
	// say. See [Assume]. Default
	// (nil): neutral.
	Assume AssumeFunc
	// Systems are systems of one's own, in place of those of this package. Default: none.
	Systems ClientSystems
	// Smoothing says how what the client simulates is drawn after a correction.
	Smoothing interpolate.Smoothing
	// Login is what this client asks to be: a value of the type of the protocol's [ecs.Join]. The server may change it
	// and refuse it, see ServerConfig.Login; Client.Err wraps netsys.ErrLogin then. Default (nil): the
	// zero value. NewClient returns an error that wraps [ErrConfig] for another type.
	Login any
	// Start is when the first tick is due. Default (zero): at once, by the
	// clock of Dial.
	Start time.Time
	// Loaded is called once in each room, when all of the state with which the client joins has
	// arrived: w stands exactly at tick for everybody else's entities, which appear
	// in that moment, together. May be nil.
	Loaded func(w *ecs.World, tick uint32)
	// OnPresence is told why an entity comes into Client.World, once its components are there, and why it leaves it, while
	// they still are; see [Reason]. It is called in Reconcile, under Rollback and Lockstep in Predict after each tick;
	// there it may look at the world and not write it: see [ecs.Handle]. Client.View draws what is in the past, and
	// what has left for as long as that takes. What a client spawns ahead of the server counts once the server tells
	// of it. May be nil.
	OnPresence func(w *ecs.World, c PresenceChange)
	// OnRefused is told, in Receive, of what the server did not accept from this client:
	// each once, in order. May be nil.
	OnRefused func(Refusal)
	// Reach opens a wire to where the server sends this client, another room, and says how that calls the server there, as
	// for NewClient: the zero AddrPort means the addresses of the token. The client owns the wire. It must not wait: see
	// websocket.DialConfig.Begin. An error leaves the client where it is. Default (nil): on a wire that is a *netsys.UDP another one; else
	// none, and tickets go to OnTravel.
	Reach func(t Ticket) (wire netsys.Wire, server netip.AddrPort, err error)
	// OnTravel is given a ticket that this client does not follow by itself: to a room of another protocol, or without
	// Reach. Make another client with its token, over UDP or its URLs, and close c when that one is connected; c goes on until then.
	// It is called in Advance, before anything else, and may close c. Default (nil): such tickets are counted.
	OnTravel func(c *Client, t Ticket)
	// OnMismatch is told of every correction, once for each component that was
	// beyond its tolerance, naming the first field that was. May be nil.
	OnMismatch func(Mismatch)
	// Schedule, when not nil, may change the schedule before the client
	// starts: wrap, insert or leave out systems. [Thin] is one for bots. The session ends
	// with an error that wraps [ErrConfig] when one is left out that the server's model needs.
	Schedule func(s *ecs.Schedule) error
	// Logger receives what happens to the session, once that messages of the server were
	// refused, and every ten seconds at most that the machine is too slow. Default (nil):
	// none.
	Logger logging.Logger
	// Random fills what development mode makes up: the token's keys and the client
	// id. Default (nil): crypto/rand. Give a seeded source to make a whole match a
	// function of its seed.
	Random func([]byte)
}

// Session is what a client tells the session below, for one of one's own as package swarm has. The error is about Login.
func (c ClientConfig) Session(p *ecs.Protocol) (s netsys.ClientConfig, err error) {
	lines := c.Messages.Lines()
	if c.Events != nil {
		lines = c.Events.Registry().Lines()
	}
	s = netsys.ClientConfig{
		Token: c.Token, ClientID: c.ClientID, ProtocolID: c.ProtocolID, InsecureAllowAnyAddress: c.InsecureAllowAnyAddress,
		Channels: c.Channels, Messages: lines, Timeout: c.Timeout, Tag: c.Trained.Hash(), Random: c.Random,
	}
	if p != nil {
		s.Schema = p.Lines()
		s.Login, err = encodeLogin(p, c.Login)
	}
	return s, err
}

func (c ClientConfig) filled() ClientConfig {
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, c.Timeout, defaultConnectTimeout)
	c.History = cmp.Or(c.History, DefaultHistory)
	c.Logger = logging.Or(c.Logger)
	return c
}

// connectTimeout is for all addresses that are tried.
func (c ClientConfig) connectTimeout(server netip.AddrPort) time.Duration {
	if server.IsValid() || c.Token == nil {
		return c.ConnectTimeout
	}
	return c.ConnectTimeout * time.Duration(max(len(c.Token.Servers), 1))
}

// GatherFunc fills one input, of the protocol's input type. Make one with
// [Gather].
type GatherFunc struct {
	fill func(*Client, unsafe.Pointer)
	of   func(*ecs.Protocol) *ecs.Component
}

// Gather makes a GatherFunc of a typed function. T must be the protocol's input
// type; [NewClient] says so when it is not. fill gets the client that the input is for, so one
// GatherFunc may serve several. It is called in [Client.Advance], that of Partial in
// [Client.Frame], once that client is connected: [Client.World] and [Client.View] stand, and
// [Client.Own] finds the player as soon as the server has told of it. fill may call all that
// looks at the client or sends a message, and [Client.Claim], which in Partial is the last one
// again. It may not call Advance, Frame or Close.
func Gather[T any](fill func(c *Client, in *T)) GatherFunc {
	return GatherFunc{
		fill: func(c *Client, p unsafe.Pointer) { fill(c, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}

// by is the function for a client; nil where there is none.
func (g GatherFunc) by(c *Client) func(unsafe.Pointer) {
	if g.fill == nil {
		return nil
	}
	return func(p unsafe.Pointer) { g.fill(c, p) }
}

// Scope says whether a client simulates an entity. It is chosen by ClientConfig.Scope and
// [Client.SetScope].
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

// Assume makes an AssumeFunc of a typed function. T must be the protocol's input type;
// [NewClient] says so when it is not. e is an entity of [Client.World] of c. It is called in
// replays and in partial ticks, too, and so may depend on nothing but that world.
func Assume[T any](fill func(c *Client, e ecs.Entity, in *T)) AssumeFunc {
	return AssumeFunc{
		fill: func(c *Client, e ecs.Entity, p unsafe.Pointer) { fill(c, e, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}

// by is the function for a client; nil where there is none.
func (a AssumeFunc) by(c *Client) func(ecs.Entity, unsafe.Pointer) {
	if a.fill == nil {
		return nil
	}
	return func(e ecs.Entity, p unsafe.Pointer) { a.fill(c, e, p) }
}
