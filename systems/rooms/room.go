package rooms

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Room is a world with seats. Its methods may be called from any goroutine.
type Room struct {
	server *Server
	kind   *Kind
	about  about
	game   *systems.Server
	port   *port
	watch  watch
	floor  chan struct{} // a semaphore: the goroutine that holds it may use game, port and clients
	wake   chan struct{}
	gone   chan struct{} // closed at the end
	epoch  atomic.Uint64

	flight string // name of the file of its flight; "": none
	loaded uint32 // tick of the save with which it began
	saves  saves

	moving  moving
	leaving atomic.Bool // handOver was called
	handing atomic.Bool // it stands still, and another process may own it: see handOver
	// undecided is true while the process does not know whether another process continues the room: Link.Published or Link.Lose
	// decides.
	undecided atomic.Bool

	clients clients // with the floor

	mu   sync.Mutex
	held held // with mu
}

// about has the properties of a room that never change.
type about struct {
	id      ID
	code    string
	private bool
	creator uint64 // the player that the room was created for; 0: none
	created time.Time
	number  uint64 // counts the rooms of this server, from 0
}

// held has the properties of a room that change.
type held struct {
	life life
	book *seatBook
	// spectators has the places of spectators. Its seat 0 has the number [Kind].Capacity.
	spectators *seatBook
	// carried has the carried data by player, until it is read or the seat is free.
	carried map[uint64]carried
}

type (
	// task runs between two ticks.
	task func(s *systems.Server)
	// ending is the reason that clients get.
	ending = netsys.Reason
)

var errState = errors.New("rooms: not a state of a room")

// ID returns the id of the room.
func (r *Room) ID() ID { return r.about.id }

// Kind returns the name of the room's kind.
func (r *Room) Kind() string { return r.kind.Name }

// Code returns the short code by which players find the room: see [Server.ByCode].
func (r *Room) Code() string { return r.about.code }

// Epoch counts the rooms with this id, from 1. It is higher if the room was claimed after its process had died.
func (r *Room) Epoch() uint64 { return r.epoch.Load() }

// Done returns a channel that is closed when the room has ended.
func (r *Room) Done() <-chan struct{} { return r.gone }

// orphaned reports whether another process may own the room by now.
func (r *Room) orphaned() bool {
	return r.handing.Load() || r.server.fleet != nil && r.server.fleet.Orphaned(r)
}

// Lock makes the room refuse new players until Unlock. Players with a seat play on and may reconnect.
func (r *Room) Lock() { r.set(func(l *life) { l.locked = true }) }

// Unlock ends Lock.
func (r *Room) Unlock() { r.set(func(l *life) { l.locked = false }) }

// Begin marks the game as begun: the state becomes Running.
func (r *Room) Begin() { r.set(func(l *life) { l.begun = true }) }

// Drain makes the room refuse new players for good and end when the last player has left. It calls [Hooks].Draining.
func (r *Room) Drain() { r.set(func(l *life) { l.drain(r) }) }

// End ends the room with its next turn. Its players get [ReasonEnded]. why may be nil.
func (r *Room) End(why error) { r.finish(why, ReasonEnded) }

// Publish replaces the published options of the room. The error wraps [ErrOptions].
func (r *Room) Publish(o Options) error {
	clean, err := o.Clean()
	if err == nil {
		r.set(func(l *life) { l.options = clean })
	}
	return err
}

// set changes the life of the room.
func (r *Room) set(f func(l *life)) {
	r.mu.Lock()
	f(&r.held.life)
	r.mu.Unlock()
	r.changed()
	r.rouse()
}

// finish ends the room with its next turn.
func (r *Room) finish(why error, reason ending) {
	r.set(func(l *life) {
		if l.ending == nil && !l.ended {
			if why == nil {
				why = errors.New("rooms: ended by the game")
			}
			l.ending, l.reason = why, reason
		}
	})
}

// Kick removes a player from its seat, or a spectator, and ends its session with netsys.ReasonKicked. The player may return with
// another token. The error is [ErrNoSeat].
func (r *Room) Kick(player uint64) error { return r.removePlayer(player, netsys.ReasonKicked) }

// Ban refuses a player all seats in this room, also as a spectator, and kicks it with [ReasonBanned] if it has one. The newest
// [MaxBanned] bans stay when another process claims the room.
func (r *Room) Ban(player uint64) {
	r.mu.Lock()
	r.held.book.ban(player)
	r.mu.Unlock()
	r.changed()
	r.notify(Notice{Event: PlayerBanned, Player: player})
	_ = r.removePlayer(player, ReasonBanned) // a player without a seat need not be kicked
}

// removePlayer takes a player's seat away and ends its session with a reason.
func (r *Room) removePlayer(player uint64, reason netsys.Reason) error {
	r.mu.Lock()
	client, err := r.held.book.kick(player)
	spectator, none := r.held.spectators.kick(player)
	r.mu.Unlock()
	if err != nil && none != nil {
		return err
	}
	r.notify(Notice{Event: PlayerKicked, Player: player})
	r.changed()
	r.Tell(func(s *systems.Server) {
		for _, number := range []uint32{client, spectator} {
			if x := s.Session(number); x != nil && x.ClientID() == player {
				x.Close(r.server.config.Now(), reason)
			}
		}
	})
	return nil
}

// Tell runs f between two ticks and does not wait for it. Hooks and systems of the room may call it. It does nothing if the room has
// ended.
func (r *Room) Tell(f func(s *systems.Server)) {
	r.mu.Lock()
	if !r.held.life.ended {
		r.held.life.tasks = append(r.held.life.tasks, f)
	}
	r.mu.Unlock()
	r.rouse()
}

// Do runs f between two ticks and returns when f has returned. f may read and change the world, and send. Hooks and systems of the
// room must not call Do; they can call Tell. The error is [ErrEnded], or [ErrStuck] if a tick does not end. A panic in f ends the
// room.
func (r *Room) Do(f func(s *systems.Server)) error {
	patience := time.NewTimer(r.server.config.Stuck)
	defer patience.Stop()
	select {
	case r.floor <- struct{}{}:
	case <-r.gone:
		return ErrEnded
	case <-patience.C:
		return fmt.Errorf("%w: %v %v", ErrStuck, r.kind.Name, r.about.id)
	}
	defer func() { <-r.floor }()
	if r.over() {
		return ErrEnded
	}
	if err := r.runGuarded(func() { f(r.game) }); err != nil {
		r.finish(err, ReasonFailed)
		return err
	}
	return nil
}

// rouse wakes the room's goroutine.
func (r *Room) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// changed reports a change of the room's entry to the fleet. The entry of a room that is handed over belongs to another process. The
// end of a room is reported when its save is deleted.
func (r *Room) changed() {
	if f := r.server.fleet; f != nil && (r.over() && !r.saves.stays.Load() || !r.over() && (!r.handing.Load() || r.undecided.Load())) {
		f.RoomChanged(r)
	}
}

// over reports whether the room is no more.
func (r *Room) over() bool {
	select {
	case <-r.gone:
		return true
	default:
		return false
	}
}
