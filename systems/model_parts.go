package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// serverModel holds the parts of a server that depend on its netcode model. See models.go.
type serverModel struct {
	applier   applier
	sender    sender
	line      *timeline.Timeline // nil: the server never simulates a tick again
	snapshots bool               // clients receive snapshots, otherwise the inputs of all players
	workers   bool               // workers may call receive for different clients at the same time
	firstOpen func() uint32      // returns the first tick that may still change

	// begin precedes the ticks of a wake-up. It may be nil.
	begin func()
	// receive processes a datagram with inputs of a player, and skip one of a spectator.
	receive, skip func(worker int, p *peer, pk netsys.Packet) error

	// entered returns the input number after which a joining client numbers its inputs. kept is the last input that the
	// server consumed from the player before, 0 for a new player.
	entered func(kept uint32) uint32
	// message processes a channel message of the model. own is false for a message of the game.
	message func(p *peer, number int, message []byte) (own bool, err error)
	// own returns the value of a component for the owner state of client p.
	own func(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer
	// status and client fill in the fields that depend on the model.
	status func(ModelStatus) ModelStatus
	client func(*peer, ClientStatus) ClientStatus
}

// applier applies inputs, commands, joins and leaves to the world: [serverapply.System], [serverapply.Rewind] or [relay.Server].
type applier interface {
	// Join adds a client as a player, whose encoded join request is request. If back is true, the player returns to its reserved
	// seat, and consumed is the newest input that was consumed before.
	Join(player uint32, request string, back bool, consumed uint32) error
	// Leave removes the client of a player whose session has ended. If waited is true, the seat of the player stays reserved,
	// and Depart follows if the reservation expires. Otherwise Depart follows in the same wake-up.
	Leave(player uint32, waited bool)
	// Depart removes players from the game in the next tick. They cannot return.
	Depart(players []uint32)
	// Plays reports whether a player is in the game, or joins it in the next tick, and can execute commands in that tick.
	Plays(player uint32) bool
	// Command executes an encoded command of a player in the next tick.
	Command(player uint32, command string)
	// Save adds the inputs of the players to x, and removes players from x who are not in the game. It returns the leaves, which
	// have no value, and commands that wait for a tick.
	Save(x *saved.State) []commands.Entry
	// Load adds a player of a save to the game. It may change p.Input.
	Load(p *saved.Player) error
	// Ready reports whether the due tick can be simulated. It returns false while the tick must wait for inputs.
	Ready() bool
	// Run is the system ServerApply.
	Run(w *ecs.World)
	// Done ends the tick, after ServerApply, Simulate and Authority.
	Done()
}

// sender sends clients what the model sends: snapshots, or the inputs of all players.
type sender interface {
	// Join adds a client.
	Join(p *peer)
	// Leave removes a client.
	Leave(p *peer)
	// Acked processes the acknowledgement of a datagram.
	Acked(p *peer, seq uint16)
	// Run is the system Snapshot.
	Run(w *ecs.World)
	// Send is the system Send.
	Send(w *ecs.World)
}

// clientModel holds the parts of a client that depend on the server's netcode model. See models.go.
type clientModel struct {
	systems   clientSystems
	listener  listener
	numbering numbering
	pace      pacer
	known     known
	line      *timeline.Timeline                             // nil: the client simulates only its own entities
	diverged  func() (tick uint32, where string, found bool) // of replays: relay.Client.Diverged; nil: the model records states
	firstOpen func() uint32                                  // returns the first tick, or input if the client counts inputs, that may still change
	count     func(ClientStats) ClientStats                  // adds the counters of the model
	leave     func()                                         // reports all entities as left behind
}

// clientSystems are the systems of a client's schedule that differ by model.
type clientSystems struct {
	reconcile, gather, predict, send, interpolate func(*ecs.World)
}

// listener processes what the server sends.
type listener interface {
	// Receive processes a datagram. It returns an error if the datagram is malformed.
	Receive(pk netsys.Packet) error
	// Message processes a channel message of the model. own is false for a message of the game.
	Message(number int, message []byte) (own bool, err error)
	// Acked processes the acknowledgement of a datagram.
	Acked(seq uint16)
	// Confirm applies the received states to the world, after all datagrams of a wake-up.
	Confirm()
}

// numbering maps the inputs of the client to ticks.
type numbering interface {
	// Applied returns the newest input that the world includes.
	Applied() uint32
	// Gathering returns the input that the game is filling in.
	Gathering() uint32
	// Coming returns the next tick, the input of this client for that tick, and the share of the tick that has passed.
	// share is 0 if no partial tick is drawn.
	Coming() (tick, input uint32, share float64)
	// Foresee sets the inputs of all entities for a partial tick, as they are known in this frame.
	Foresee(input uint32)
}

// pacer decides when the client simulates ticks.
type pacer interface {
	// Rate returns the speed of the next step relative to real time: 1 is the server's rate.
	Rate() float64
	// BeforeReceive returns how many of the due ticks to simulate before received packets are processed.
	BeforeReceive(due int) int
	// More reports whether to simulate another tick after extra ticks more than were due.
	More(extra int) bool
}

// known returns what the client knows about an entity.
type known interface {
	Presence(id components.NetID) Presence
	StateTick(id components.NetID) (tick uint32, ok bool)
	Shows(player, tick uint32) bool
}
