package rooms

import (
	"errors"
	"fmt"
	"sync"
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
	floor  chan struct{} // whoever has put something in has the game, its port and clients for itself
	wake   chan struct{}
	gone   chan struct{} // closed at the end

	clients clients // with the floor

	mu   sync.Mutex
	held held // with mu
}

// about is what a room is, once for all.
type about struct {
	id      ID
	code    string
	private bool
	creator uint64 // the player that it was made for; 0: nobody
	created time.Time
	number  uint64 // of all rooms of this server, from 0
}

// held is what changes.
type held struct {
	life life
	book *seatBook
	// carried is by player, until it is taken, or the seat is free.
	carried map[uint64]carried
}

type (
	// task is something to do between two ticks.
	task func(s *systems.Server)
	// ending is what clients are told.
	ending = netsys.Reason
)

var errState = errors.New("rooms: no state of a room")

// ID is the room's number.
func (r *Room) ID() ID { return r.about.id }

// Kind is the name of its kind.
func (r *Room) Kind() string { return r.kind.Name }

// Code is a short code by which players find it: [Server.ByCode].
func (r *Room) Code() string { return r.about.code }

// Epoch is which room of its id it is, from 1: above that it was claimed after its process had died.
func (r *Room) Epoch() uint64 { return r.held.life.own.epoch.Load() }

// Lock gives nobody new a seat, until Unlock. Who has one plays on, and may come back.
func (r *Room) Lock() { r.set(func(l *life) { l.locked = true }) }

// Unlock ends Lock.
func (r *Room) Unlock() { r.set(func(l *life) { l.locked = false }) }

// Begin says that the game has begun: the state is Running in place of Open.
func (r *Room) Begin() { r.set(func(l *life) { l.begun = true }) }

// Drain gives nobody new a seat, for good; the room ends when the last has left. Its game is told: see [Hooks].Draining.
func (r *Room) Drain() { r.set(func(l *life) { l.drain(r) }) }

// End ends the room with its next turn: its players hear [ReasonEnded]. nil is as good as any reason.
func (r *Room) End(why error) { r.finish(why, ReasonEnded) }

// Publish replaces the options that the room tells about itself. The error wraps [ErrOptions].
func (r *Room) Publish(o Options) error {
	clean, err := o.Clean()
	if err == nil {
		r.set(func(l *life) { l.options = clean })
	}
	return err
}

// set changes what is to become of the room.
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

// Travel hands a player over to another room: it gets a seat there, its client is sent a token and follows, and what it
// carries ([Kind].Carries) goes along. The room takes these components off the player's entity before its next tick, at once
// if no tick is under way: a system that calls Travel still finds them until the end of its tick. From then on until the
// travel is decided the entity is without them: rows that name them leave it out, and ecs.Get returns nil, on the server
// and in the view of clients. What the player carries is in one room at any time. [Kind].Travelled is told how it ends: the player went, or stays with all that it
// had. It may be called from any goroutine, from hooks and systems too. The error is [ErrNoSeat], [ErrOptions] or [ErrPlayer]; all others
// are told Travelled: those of [Seats], [ErrCarries], [ErrTravels], [ErrTravelExpired], [ErrTravelReturned], [ErrTravelLost].
func (r *Room) Travel(player uint64, to Destination) error {
	options, err := to.Options.Clean()
	if err == nil {
		err = check([]Player{{ID: player, Data: to.Data}})
	}
	if err != nil {
		return err
	}
	to.Options = options
	r.mu.Lock()
	_, _, has := r.held.book.seatOf(player)
	r.mu.Unlock()
	if !has {
		return ErrNoSeat
	}
	r.Tell(func(*systems.Server) { r.startTravel(player, to) })
	return nil
}

// Kick takes a player's seat away and ends its session, with netsys.ReasonKicked. It may come again, with another
// token. The error is [ErrNoSeat].
func (r *Room) Kick(player uint64) error { return r.removePlayer(player, netsys.ReasonKicked) }

// Ban gives a player no seat in this room any more, and kicks it with [ReasonBanned] if it has one. The directory keeps the
// newest [MaxBanned] bans of a room: they hold in the room that another process makes anew.
func (r *Room) Ban(player uint64) {
	r.mu.Lock()
	r.held.book.ban(player)
	r.mu.Unlock()
	r.changed()
	r.notify(Notice{Event: PlayerBanned, Player: player})
	_ = r.removePlayer(player, ReasonBanned) // who has no seat need not be kicked
}

// removePlayer takes a player's seat away and ends its session with a reason.
func (r *Room) removePlayer(player uint64, reason netsys.Reason) error {
	r.mu.Lock()
	client, err := r.held.book.kick(player)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	r.notify(Notice{Event: PlayerKicked, Player: player})
	r.changed()
	r.Tell(func(s *systems.Server) {
		if x := s.Session(client); x != nil && x.ClientID() == player {
			x.Close(r.server.config.Now(), reason)
		}
	})
	return nil
}

// Tell makes f run between two ticks, and does not wait for it: also from hooks, and from systems of the room. What is
// told a room that has ended is forgotten.
func (r *Room) Tell(f func(s *systems.Server)) {
	r.mu.Lock()
	if !r.held.life.ended {
		r.held.life.tasks = append(r.held.life.tasks, f)
	}
	r.mu.Unlock()
	r.rouse()
}

// Do runs f between two ticks, while nobody else has the room's server, and returns when it is done: to look at the
// world, to take something out or put something in, to send. It must not be called from the room itself, where Tell is
// right. The errors are [ErrEnded], and [ErrStuck] of a room that does not come to the end of its tick. A panic in f
// ends the room like one of its systems.
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

// changed makes the directory hear of the room.
func (r *Room) changed() { r.server.notes.room(r) }

// over reports whether the room is no more.
func (r *Room) over() bool {
	select {
	case <-r.gone:
		return true
	default:
		return false
	}
}
