package rooms

import "time"

// Event is what an operator is told of.
type Event string

// The events.
const (
	RoomCreated  Event = "created"
	RoomEnded    Event = "ended"    // Err says why
	RoomFailed   Event = "failed"   // a panic, in System: Err and Stack say which; it ends
	RoomSlow     Event = "slow"     // its ticks take longer than their budget; it makes fewer
	RoomFast     Event = "fast"     // no longer
	RoomStuck    Event = "stuck"    // it does not come to the end of a tick: System and Stack say where; it admits nobody
	RoomUnstuck  Event = "unstuck"  // it did
	PlayerKicked Event = "kicked"   // Player
	PlayerBanned Event = "banned"   // Player
	RoomUnseated Event = "unseated" // Player entered without a seat, and was sent away
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
