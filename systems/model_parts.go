package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// serverModel is what a server does by its policies.
type serverModel struct {
	ticks     ticks
	applier   applier
	sender    teller
	line      *timeline.Timeline // nil: no tick is simulated twice
	snapshots bool               // clients are told of state
	restores  bool               // of a tick that is simulated again all is, what clients wrote too
	firstOpen func() uint32      // the first tick that may still change
	entered   func(kept uint32) uint32
	message   func(p *peer, number int, message []byte) (own bool, err error)
	own       func(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer // what its owner is told of it
	status    func(ModelStatus) ModelStatus                                // with what the model knows
	client    func(*peer, ClientStatus) ClientStatus
}

// ticks says when a tick is simulated.
type ticks interface {
	// Ready begins a tick that is due; it reports false when it has to wait.
	Ready() bool
	// Done ends it, after ServerApply, Simulate and Authority.
	Done()
}

// applier takes in inputs and who comes and goes, and is the system ServerApply.
type applier interface {
	// Join begins with a client; with back its player was waited for, with that reservation.
	Join(p *peer, kept sessions.Reservation, back bool)
	// Watch begins with a spectator.
	Watch(p *peer)
	// Leave ends with a client. With waited, its player may come back; else Depart
	// follows, within the wake-up, or when it is waited for no longer.
	Leave(p *peer, waited bool)
	// Depart takes players that are gone for good out of the game.
	Depart(gone []uint32)
	// Plays reports whether a client's player is in the game, or will be with the tick that comes, and may command
	// something in it.
	Plays(p *peer) bool
	// Command makes a player do something in the tick that comes.
	Command(player uint32, command string)
	// Receive takes in a datagram.
	Receive(p *peer, pk netsys.Packet)
	// Save adds to x the inputs of its players and the leaves and commands for coming ticks. It removes players who are not in
	// the game.
	Save(x *saved.State)
	// Load continues with a player of a saved server. It may change Input.
	Load(p *saved.Player) error
	// Run is the system.
	Run(w *ecs.World)
}

// teller tells clients what became of it.
type teller interface {
	// Join and Leave begin and end with a client.
	Join(p *peer)
	Leave(p *peer)
	// Acked hears of a datagram that arrived.
	Acked(p *peer, seq uint16)
	// Run is the system Snapshot, and Send is Send.
	Run(w *ecs.World)
	Send(w *ecs.World)
}

// clientModel is what a client does by the policies that the server told it.
type clientModel struct {
	systems   clientSystems
	listener  listener
	numbering numbering
	pace      pacer
	known     known
	differs   func(server *timeline.Timeline) error // nil: what snapshots told is compared
	stamped   bool                                  // inputs number ticks, and may be gathered before they apply
	firstOpen func() uint32                         // the first tick, as outcomes count them here, that may still change
	count     func(ClientStats) ClientStats         // adds what the model counts itself
	leave     func()                                // tells of all entities that they are left behind
}

// clientSystems are the systems of a client's schedule that differ by model.
type clientSystems struct {
	reconcile, gather, predict, send, interpolate func(*ecs.World)
}

// listener takes in what the server sends.
type listener interface {
	// Receive takes in a datagram; the error is about one that no honest server sends.
	Receive(pk netsys.Packet) error
	// Message takes in a message of a channel, if it is the model's own.
	Message(number int, message []byte) (own bool, err error)
	// Acked hears of a datagram that arrived.
	Acked(seq uint16)
	// Confirm makes use of what was received, once all of it was.
	Confirm()
}

// numbering says which input goes with which tick.
type numbering interface {
	// Applied is the newest input that the world stands after.
	Applied() uint32
	// Coming is the next tick, the input of this client that it will consume, and which part
	// of it has passed, 0 where none is to be drawn.
	Coming() (tick, input uint32, share float64)
	// Foresee gives the inputs of the coming tick as they are known in this frame.
	Foresee(input uint32)
}

// pacer says when ticks are made.
type pacer interface {
	// Rate is how fast the coming step should pass, 1 for the server's rate.
	Rate() float64
	// BeforeReceive is how many of the ticks that are due come before what was received.
	BeforeReceive(due int) int
	// More reports whether to make another tick after so many more than were due.
	More(extra int) bool
}

// known is what a client knows of entities.
type known interface {
	Presence(id components.NetID) Presence
	StateTick(id components.NetID) (tick uint32, ok bool)
}
