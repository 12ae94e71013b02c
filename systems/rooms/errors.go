package rooms

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Why somebody gets no seat.
var (
	// ErrKind: the server has no kind of that name.
	ErrKind = errors.New("rooms: no such kind of room")
	// ErrFull: the room has not so many seats left.
	ErrFull = errors.New("rooms: the room is full")
	// ErrLocked: the room takes nobody new.
	ErrLocked = errors.New("rooms: the room is locked")
	// ErrBanned: the player is banned from the room.
	ErrBanned = errors.New("rooms: the player is banned from this room")
	// ErrSeated: the player has a seat in the room already; [Room.Reconnect] gives another token for it.
	ErrSeated = errors.New("rooms: the player has a seat in this room: reconnect to that")
	// ErrNoSeat: the player has no seat in the room.
	ErrNoSeat = errors.New("rooms: the player has no seat in this room")
	// ErrEnded: the room has ended, or ends.
	ErrEnded = errors.New("rooms: the room has ended")
	// ErrDraining: the room, or the process, takes nobody any more, and ends when the last has left.
	ErrDraining = errors.New("rooms: draining")
	// ErrStuck: the room does not come to the end of its tick.
	ErrStuck = errors.New("rooms: the room does not answer")
	// ErrOrphaned: the process cannot say in the directory that the room is its own, so it gives nobody new a seat. It wraps
	// [ErrUnavailable].
	ErrOrphaned = fmt.Errorf("rooms: the room may be another process's: %w", ErrUnavailable)
	// ErrOwned: a process that is there has the room: ask that for a seat.
	ErrOwned = errors.New("rooms: another process has the room")
	// ErrRooms: the process has as many rooms as it may.
	ErrRooms = errors.New("rooms: no room for another room")
	// ErrRoom: there is no such room, or no longer.
	ErrRoom = errors.New("rooms: no such room")
	// ErrSchema: nobody makes rooms of that kind that speak the client's schema.
	ErrSchema = errors.New("rooms: no room speaks this schema of the kind")
	// ErrPlayer: a player without an id, or with too much data.
	ErrPlayer = errors.New("rooms: a player that no token can name")
	// ErrOptions: options that cannot be published: see [Options].
	ErrOptions = errors.New("rooms: bad options")
	// ErrConfig is wrapped by errors of [New], and of kinds whose rooms cannot be made.
	ErrConfig = errors.New("rooms: bad configuration")
)

// refusals name why somebody gets no seat, for figures.
var refusals = []struct {
	err  error
	name string
}{
	{ErrFull, "full"}, {ErrLocked, "locked"}, {ErrBanned, "banned"}, {ErrSeated, "seated"}, {ErrNoSeat, "no_seat"},
	{ErrEnded, "ended"}, {ErrDraining, "draining"}, {ErrStuck, "stuck"}, {ErrRooms, "rooms"},
	{ErrRoom, "room"}, {ErrKind, "kind"}, {ErrSchema, "schema"}, {ErrOptions, "options"}, {ErrPlayer, "player"}, {ErrOwned, "owned"},
	{ErrConflict, "conflict"}, {ErrOrphaned, "orphaned"}, {ErrUnavailable, "unavailable"},
}

// errNoMember is why a process is not ready that has just started.
var errNoMember = errors.New("rooms: the process is not in the directory yet")

// refusal names why somebody gets no seat.
func refusal(err error) string {
	for _, x := range refusals {
		if errors.Is(err, x.err) {
			return x.name
		}
	}
	return "other"
}

// Why a room has ended.
var (
	// ErrEmpty: nobody was in it for [Kind].Linger.
	ErrEmpty = errors.New("rooms: empty")
	// ErrDrained: it was drained, and the last has left.
	ErrDrained = errors.New("rooms: drained")
	// ErrClaimed: another process has claimed the room, while this one could not say that it is there.
	ErrClaimed = errors.New("rooms: another process has claimed the room")
	// ErrClosed: the server has been closed.
	ErrClosed = errors.New("rooms: the server has been closed")
)

// Why a room ends its clients' sessions, beside those of package netsys: see [Explain].
const (
	// ReasonEnded: the room has ended.
	ReasonEnded netsys.Reason = 64 + iota
	// ReasonFailed: something is wrong with the game on the server; the room has ended.
	ReasonFailed
	// ReasonBanned: the player is banned from the room.
	ReasonBanned
	// ReasonUnseated: the client has no seat any more.
	ReasonUnseated
	// ReasonClaimed: the room was lost, and another process has made it anew.
	ReasonClaimed
	// ReasonTravelled: the player has gone on in another room.
	ReasonTravelled
)

// Explain returns a sentence for players that says why their session has ended, for the reasons of this package and of
// package netsys; "" for the game's own.
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
		return "The room has moved to another server and started again. Please join it there."
	case ReasonTravelled:
		return "You have moved to another room."
	}
	return ""
}

// Event is what an operator is told of.
type Event string

// The events.
const (
	RoomCreated  Event = "created"
	RoomEnded    Event = "ended"     // Err says why
	RoomFailed   Event = "failed"    // a panic, in System: Err and Stack say which; it ends
	RoomSlow     Event = "slow"      // its ticks take longer than their budget; it makes fewer
	RoomFast     Event = "fast"      // no longer
	RoomStuck    Event = "stuck"     // it does not come to the end of a tick: System and Stack say where; it admits nobody
	RoomUnstuck  Event = "unstuck"   // it did
	PlayerKicked Event = "kicked"    // Player
	PlayerBanned Event = "banned"    // Player
	RoomUnseated Event = "unseated"  // Player entered without a seat, and was sent away
	RoomLeft     Event = "travelled" // Player has gone on in another room, or stays, for Err
	RoomClaimed  Event = "claimed"   // its process was gone: it was made anew here

	// Of the process, without a room:

	ProcessFenced Event = "fenced" // it could not say in the directory that it is there: see [Server.Fenced]
	ProcessBack   Event = "back"   // it can again, or has claimed its name anew
)

// Notice is something that an operator should see.
type Notice struct {
	At     time.Time
	Event  Event
	Room   ID
	Kind   string
	System string        // that ran, where one matters
	Tick   uint32        // of the room
	Took   time.Duration // what a tick took, or takes so far
	Player uint64
	Err    error
	Stack  string
}

// loud are events that are warnings in the log.
func (e Event) loud() bool {
	return e == RoomFailed || e == RoomSlow || e == RoomStuck || e == RoomUnseated
}
