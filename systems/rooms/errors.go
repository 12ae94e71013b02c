package rooms

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Reasons why a player gets no seat.
var (
	// ErrKind: the server has no kind of that name.
	ErrKind = errors.New("rooms: no such kind of room")
	// ErrFull: the room does not have enough free seats.
	ErrFull = errors.New("rooms: the room is full")
	// ErrSpectators: the room has the largest number of spectators.
	ErrSpectators = errors.New("rooms: the room has no place for another spectator")
	// ErrNoSpectators: the room cannot be watched: its ServerConfig.Players.Spectators is 0.
	ErrNoSpectators = errors.New("rooms: the room allows no spectators")
	// ErrLocked: the room accepts no new players.
	ErrLocked = errors.New("rooms: the room is locked")
	// ErrBanned: the player is banned from the room.
	ErrBanned = errors.New("rooms: the player is banned from this room")
	// ErrSeated: the player already has a seat in the room; [Room.Reconnect] returns another token for it.
	ErrSeated = errors.New("rooms: the player has a seat in this room: reconnect to that")
	// ErrNoSeat: the player has no seat in the room.
	ErrNoSeat = errors.New("rooms: the player has no seat in this room")
	// ErrEnded: the room has ended or is ending.
	ErrEnded = errors.New("rooms: the room has ended")
	// ErrDraining: the room or the process accepts no new players and ends when the last player has left.
	ErrDraining = errors.New("rooms: draining")
	// ErrStuck: a tick of the room does not end.
	ErrStuck = errors.New("rooms: the room does not answer")
	// ErrOrphaned: another process of the fleet may own the room by now, so this one gives no new seats. It wraps
	// [ErrUnavailable].
	ErrOrphaned = fmt.Errorf("rooms: another process may own the room: %w", ErrUnavailable)
	// ErrRooms: the process has the largest number of rooms.
	ErrRooms = errors.New("rooms: the process has no capacity for another room")
	// ErrRoom: there is no such room, or it has ended.
	ErrRoom = errors.New("rooms: no such room")
	// ErrSchema: no process has rooms of that kind with the client's schema.
	ErrSchema = errors.New("rooms: no room speaks this schema of the kind")
	// ErrPlayer: the player has no id, or too much data.
	ErrPlayer = errors.New("rooms: the player has no id or too much data")
	// ErrOptions: the options cannot be published: see [Options].
	ErrOptions = errors.New("rooms: bad options")
	// ErrUnavailable: the processes of a fleet cannot reach each other. Try again later: see [Unavailable].
	ErrUnavailable = errors.New("rooms: not available, try again later")
	// ErrConfig is wrapped by errors of [New], and of kinds whose rooms cannot be created.
	ErrConfig = errors.New("rooms: bad configuration")
)

// refusals are the names of the reasons why a player gets no seat.
var refusals = []struct {
	err  error
	name string
}{
	{ErrFull, "full"}, {ErrLocked, "locked"}, {ErrBanned, "banned"}, {ErrSeated, "seated"}, {ErrNoSeat, "no_seat"},
	{ErrEnded, "ended"}, {ErrDraining, "draining"}, {ErrStuck, "stuck"}, {ErrRooms, "rooms"},
	{ErrRoom, "room"}, {ErrKind, "kind"}, {ErrSchema, "schema"}, {ErrOptions, "options"}, {ErrPlayer, "player"},
	{ErrSpectators, "spectators"}, {ErrNoSpectators, "no_spectators"},
	{ErrOrphaned, "orphaned"}, {ErrSave, "save"}, {ErrUnavailable, "unavailable"},
}

// errNoMember is the error of a process that has just started.
var errNoMember = errors.New("rooms: the process is not in the directory yet")

// Refusal returns the name of a reason why a player gets no seat, such as "full", and "other" for an unknown error.
func Refusal(err error) string {
	for _, x := range refusals {
		if errors.Is(err, x.err) {
			return x.name
		}
	}
	return "other"
}

// Reasons why a room has ended.
var (
	// ErrEmpty: no player had a seat for [Kind].Linger.
	ErrEmpty = errors.New("rooms: empty")
	// ErrDrained: the room drained, and the last player has left.
	ErrDrained = errors.New("rooms: drained")
	// ErrClosed: the server has been closed.
	ErrClosed = errors.New("rooms: the server has been closed")
)

// Reasons why a room ends sessions, in addition to those of package netsys: see [Explain].
const (
	// ReasonEnded: the room has ended.
	ReasonEnded netsys.Reason = 64 + iota
	// ReasonFailed: the game on the server has failed, and the room has ended.
	ReasonFailed
	// ReasonBanned: the player is banned from the room.
	ReasonBanned
	// ReasonUnseated: the player has lost its seat.
	ReasonUnseated
	// ReasonClaimed: another process has claimed the room and created it again.
	ReasonClaimed
)

// Explain returns a sentence for players that says why their session has ended. It knows the reasons of this package and of
// package netsys, and returns "" for those of the game.
func Explain(reason netsys.Reason) string {
	switch reason {
	case netsys.ReasonLeft:
		return "The session has ended."
	case netsys.ReasonServerClosing:
		return "The server is closing. Please try again in a moment."
	case netsys.ReasonKicked:
		return "You were removed from the room."
	case netsys.ReasonProtocol:
		return "The server did not understand your game. Please update it and try again."
	case netsys.ReasonReplaced:
		return "You have joined from another window or device."
	case netsys.ReasonFlood:
		return "The connection was closed because your game sent too much data."
	case netsys.ReasonAway:
		return "The server has lost contact with your game. Please connect again to return to your seat."
	case ReasonEnded:
		return "The room has ended."
	case ReasonFailed:
		return "The room has ended because of an error in the game. It was not your fault."
	case ReasonBanned:
		return "You are banned from this room."
	case ReasonUnseated:
		return "You no longer have a seat in this room."
	case ReasonClaimed:
		return "The room has moved to another server. Please join it there."
	}
	return ""
}

// Event is the kind of a [Notice].
type Event string

// The events.
const (
	RoomCreated  Event = "created"
	RoomEnded    Event = "ended"     // Err is the reason
	RoomFailed   Event = "failed"    // a panic in System, with Err and Stack; the room ends
	RoomSlow     Event = "slow"      // ticks exceed their budget; the room runs fewer
	RoomFast     Event = "fast"      // the room is not slow any more
	RoomStuck    Event = "stuck"     // a tick does not end, in System, with Stack; the room gives no new seats
	RoomUnstuck  Event = "unstuck"   // the tick has ended
	PlayerKicked Event = "kicked"    // Player
	PlayerBanned Event = "banned"    // Player
	RoomUnseated Event = "unseated"  // Player entered without a seat and was removed
	RoomLeft     Event = "travelled" // Player has left for another room, or stays because of Err
	RoomClaimed  Event = "claimed"   // the process of the room was gone: this process has claimed the room
	RoomUnsaved  Event = "unsaved"   // the room could not be saved because of Err, and continues; told once, counted each time
	RoomSaved    Event = "saved"     // the room could be saved again
	RoomUnloaded Event = "unloaded"  // the save of the room cannot be used because of Err: see ErrSave
	RoomFlight   Event = "flight"    // the room wrote its flight, or could not because of Err: see Config.Flights

	// Of the process, without a room:

	ProcessFenced Event = "fenced" // the process has lost its claim: see [Membership]
	ProcessBack   Event = "back"   // the process holds a claim again
)

// Notice is a message to the operator.
type Notice struct {
	At     time.Time
	Event  Event
	Room   ID
	Kind   string
	System string        // that was running, if known
	Tick   uint32        // of the room
	Took   time.Duration // what a tick took, or takes so far
	Player uint64
	Err    error
	Stack  string
}

// loud reports whether the notice is a warning in the log.
func (n Notice) loud() bool {
	e := n.Event
	return e == RoomFlight && n.Err != nil || e == RoomFailed || e == RoomSlow || e == RoomStuck || e == RoomUnseated || e == RoomUnsaved || e == RoomUnloaded
}
