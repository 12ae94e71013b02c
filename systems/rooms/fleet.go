package rooms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Fleet connects the rooms of one server with those of other processes. Package systems/rooms/fleet implements it; see
// [Server.Connect]. Its methods may be called from any goroutine. The server calls Orphaned, RoomChanged and ProcessChanged
// while it holds locks, so they must neither wait nor call the server.
type Fleet interface {
	// Seats gives seats in the rooms of all processes: [Room.Travel] uses it.
	Seats
	// RoomChanged is called when the entry of a room has changed, and when the room has ended.
	RoomChanged(r *Room)
	// ProcessChanged is called when the process starts to drain.
	ProcessChanged()
	// Orphaned reports whether another process may own the room by now. Then the room gives no new seats.
	Orphaned(r *Room) bool
	// MayAdmit returns an error if this process must not give seats at all.
	MayAdmit() error
	// HandOver makes another process continue a room of this one. The room was saved at a tick and is paused since then. HandOver
	// returns seats there for these players of the room. After an error the room continues here.
	HandOver(ctx context.Context, r *Room, tick uint32, who []Player) ([]Admission, error)
	// Membership returns the state of this process in the fleet.
	Membership() Membership
	// Run works in real time until ctx ends, and then withdraws the process from the fleet. [Server.Run] calls it, and ends
	// ctx when the rooms have ended.
	Run(ctx context.Context) error
	// Advance does the due work in virtual time: [Server.Advance] calls it.
	Advance(now time.Time)
	// Withdraw withdraws the process from the fleet: [Server.Close] calls it, in virtual time.
	Withdraw()
}

// Membership is the state of a process in its fleet: see [Server.Membership].
type Membership struct {
	// Member reports whether the process holds the claim to its name: other processes find it and its rooms.
	Member bool
	// Fenced reports whether the process has lost its claim, because it could not renew its record in the directory. Other
	// processes may consider it dead. Its rooms are orphaned until it can write again.
	Fenced bool
	// Named reports whether another process holds this process's name. Until then, this process refuses seat requests.
	Named bool
	// Errors counts the rounds of writing to the directory that failed.
	Errors uint64
	// Panics counts the requests of other processes whose handling panicked. They were refused, and the log has the stack.
	Panics uint64
	// Age is the time since this process last received a change of the directory. Each process changes its own entry every
	// second. Age is 0 for a directory that does not report it.
	Age time.Duration
}

// Membership returns the state of this process in its fleet. Without a fleet, Member is true.
func (s *Server) Membership() Membership {
	if s.fleet == nil {
		return Membership{Member: true}
	}
	return s.fleet.Membership()
}

// mayAdmit returns an error if this process must not give seats.
func (s *Server) mayAdmit() error {
	if err := s.Err(); err != nil {
		return &Unavailable{Again: time.Second, Err: err}
	}
	if s.fleet == nil {
		return nil
	}
	return s.fleet.MayAdmit()
}

// Connect makes the server part of a fleet and returns what the fleet may do with the server. Call it once, before the first
// room is created and before Run.
func (s *Server) Connect(f Fleet) *Link {
	s.fleet = f
	return &Link{server: s}
}

// Link has the methods of a server that only its [Fleet] uses. They may be called from any goroutine.
type Link struct{ server *Server }

// Server returns the server.
func (l *Link) Server() *Server { return l.server }

// Config returns the configuration of the server with all defaults filled in.
func (l *Link) Config() Config { return l.server.config }

// Drawn reports whether the server drew its key or its name, because its configuration has none.
func (l *Link) Drawn() (key, name bool) { return l.server.drawnKey, l.server.drawnName }

// Notify passes a notice about the process to Config.Told.
func (l *Link) Notify(event Event) {
	c := &l.server.config
	c.Told(Notice{At: c.Now(), Event: event})
}

// RaiseEpoch raises the epoch of a room whose record in the directory was removed: another process may have owned the room
// since.
func (l *Link) RaiseEpoch(r *Room) { r.epoch.Add(1) }

// Kept reports whether a room was saved when it ended with its process, so that another process can continue it.
func (l *Link) Kept(r *Room) bool { return r.saves.last.Load() }

// Deleting reports whether a room has ended whose save is not deleted yet. Its record must stay in the directory: other processes
// continue a room that has a save and no record.
func (l *Link) Deleting(r *Room) bool { return r.saves.stays.Load() }

// Published notes that the directory has a record of a room with an epoch.
func (l *Link) Published(r *Room, epoch uint64) {
	r.saves.known.Store(true)
	if epoch == r.epoch.Load() { // no request for an earlier epoch can take the room any more
		r.decided()
	}
}

// Saved returns the entry of a room as of its last save. The error wraps [ErrUnavailable], also if this process cannot use the save,
// or [ErrNoSave] if the store has none. It also wraps ErrNoSave if the directory had no record of the room: its process does not give it up when it
// loses its claim.
func (l *Link) Saved(ctx context.Context, id ID) (RoomEntry, error) {
	saved, err := l.server.readSave(ctx, id)
	switch {
	case err != nil && errors.Is(err, ErrUnavailable):
		return RoomEntry{}, err
	case err != nil:
		return RoomEntry{}, l.server.cannotUse(id, "", err)
	case saved == nil || !saved.Known:
		return RoomEntry{}, ErrNoSave
	}
	return saved.RoomEntry, nil
}

// Lose ends a room that another process has claimed. Its players get [ReasonClaimed]. A room that is handed over ends by itself.
func (l *Link) Lose(r *Room, why error) {
	if !r.handing.Load() || r.undecided.Load() {
		r.finish(why, ReasonClaimed)
	}
}

// Restore creates a room again whose process is gone: of the kind, id, code, options and bans of e and with its epoch, or a higher
// one if that of its save is not lower. The room continues from its save; without one, it has a new world and no players. Restore
// calls claim when the save is loaded, or before a new world is created, while nobody can find the room. The error wraps [ErrUnavailable] if the store does not
// answer, and [ErrSave], too, if this process cannot use the save; or it is that of claim or of [Server.Create]. A room that could not be created
// counts as ended: see [Room.Done].
//
// tick is 0, or that of the save with which the room must continue, in a handover: see [Fleet].HandOver.
func (l *Link) Restore(ctx context.Context, e RoomEntry, tick uint32, claim func(r *Room) error) (*Room, error) {
	saved, err := l.server.readSave(ctx, e.ID)
	switch {
	case err != nil && (errors.Is(err, ErrUnavailable) || tick != 0):
		return nil, err
	case tick != 0 && (saved == nil || saved.Tick != tick):
		return nil, fmt.Errorf("%w: of tick %d", ErrNoSave, tick)
	}
	return l.server.restoreRoom(ctx, e, saved, err, tick != 0, claim)
}

// seatIndex has the rooms in which each player has a seat, the newest seat last.
type seatIndex struct {
	mu    sync.Mutex
	rooms map[uint64][]ID // by player
}

// seated notes the newest seat of a player.
func (s *Server) seated(player uint64, room ID) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.rooms[player] = append(without(s.index.rooms[player], room), room)
}

// unseated notes that a player has no seat in a room any more.
func (s *Server) unseated(player uint64, room ID) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	if s.index.rooms[player] = without(s.index.rooms[player], room); len(s.index.rooms[player]) == 0 {
		delete(s.index.rooms, player)
	}
}

// without returns the rooms except one.
func without(rooms []ID, room ID) []ID {
	return slices.DeleteFunc(rooms, func(x ID) bool { return x == room })
}

// roomsOf returns the rooms in which a player has a seat, the newest seat last.
func (s *Server) roomsOf(player uint64) []ID {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	return slices.Clone(s.index.rooms[player])
}
