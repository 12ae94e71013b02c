package lobby

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
)

// Lobby gives seats in the rooms of a fleet. Its methods may be called from any goroutine; those of rooms.Seats that wait
// need somebody who calls Run, or Advance.
type Lobby struct {
	config Config
	here   rooms.Seats // of this process, nil: it has no rooms
	began  time.Time

	mu   sync.Mutex
	view view
	post post
}

var _ rooms.Seats = (*Lobby)(nil)

// mostTries is how often a room is asked for whose process changes meanwhile.
const mostTries = 3

// Join implements [rooms.Seats].
func (l *Lobby) Join(ctx context.Context, w rooms.Wish) ([]rooms.Admission, error) {
	a := asks.Ask{Op: asks.Join, Kind: w.Kind, Schema: w.Schema, Players: players(w.Players)}
	return l.seek(ctx, w, a, func() ([]rooms.Admission, error) { return l.here.Join(ctx, w) })
}

// Create implements [rooms.Seats].
func (l *Lobby) Create(ctx context.Context, kind string, c rooms.Creation, who ...rooms.Player) ([]rooms.Admission, error) {
	w := rooms.Wish{Kind: kind, Options: c.Options, Schema: c.Schema, Players: who}
	a := asks.Ask{Op: asks.Create, Kind: kind, Private: c.Private, Schema: c.Schema, Players: players(who)}
	return l.seek(ctx, w, a, func() ([]rooms.Admission, error) { return l.here.Create(ctx, kind, c, who...) })
}

// seek asks one process after the other, until one gives seats, or nobody else could.
func (l *Lobby) seek(ctx context.Context, w rooms.Wish, a asks.Ask, local func() ([]rooms.Admission, error)) ([]rooms.Admission, error) {
	options, err := w.Options.Clean()
	if err == nil && len(w.Players) == 0 {
		err = fmt.Errorf("%w: nobody wants a seat", rooms.ErrPlayer)
	}
	if err != nil {
		return nil, err
	}
	w.Options, a.Options = options, options
	tried := make(map[string]bool)
	var last error
	for {
		l.mu.Lock()
		l.know()
		to, err := l.view.choose(&w, a.Op == asks.Create, tried, l.config.Now())
		l.mu.Unlock()
		if err != nil {
			if last != nil {
				err = last
			}
			return nil, err
		}
		name := to.process.Process
		var all []rooms.Admission
		if name == l.view.own {
			all, err = local()
		} else {
			all, err = (*asker)(l).ask(ctx, name, a)
		}
		l.mu.Lock()
		l.view.settled(to, err == nil)
		l.mu.Unlock()
		if err == nil || !elsewhere(err) {
			return all, err
		}
		tried[name], last = true, err
	}
}

// elsewhere reports whether another process could give the seats that one did not.
func elsewhere(err error) bool {
	for _, x := range []error{
		rooms.ErrRooms, rooms.ErrDraining, rooms.ErrEnded, rooms.ErrStuck, rooms.ErrFull, rooms.ErrLocked, rooms.ErrKind,
		rooms.ErrSchema, rooms.ErrOrphaned, errOld, errUnasked,
	} {
		if errors.Is(err, x) {
			return true
		}
	}
	return false
}

// Reserve implements [rooms.Seats].
func (l *Lobby) Reserve(ctx context.Context, room rooms.ID, who ...rooms.Player) ([]rooms.Admission, error) {
	a := asks.Ask{Op: asks.Reserve, Room: uint64(room), Players: players(who)}
	return l.in(ctx, room, a, func() ([]rooms.Admission, error) { return l.here.Reserve(ctx, room, who...) })
}

// Reconnect implements [rooms.Seats].
func (l *Lobby) Reconnect(ctx context.Context, room rooms.ID, who rooms.Player) (rooms.Admission, error) {
	a := asks.Ask{Op: asks.Reconnect, Room: uint64(room), Players: players([]rooms.Player{who})}
	all, err := l.in(ctx, room, a, func() ([]rooms.Admission, error) {
		x, err := l.here.Reconnect(ctx, room, who)
		return []rooms.Admission{x}, err
	})
	if err != nil {
		return rooms.Admission{}, err
	}
	return all[0], nil
}

// in asks the process of a room; where that is gone, another one, which makes the room anew.
func (l *Lobby) in(ctx context.Context, id rooms.ID, a asks.Ask, local func() ([]rooms.Admission, error)) (all []rooms.Admission, err error) {
	for try := range mostTries {
		if l.here != nil && l.config.Here.Room(id) != nil {
			return local()
		}
		var at string
		var e rooms.RoomEntry
		if at, e, a.Claim, err = l.whose(ctx, id, len(a.Players), try > 0); err != nil {
			return nil, err
		}
		if at != l.view.own {
			all, err = (*asker)(l).ask(ctx, at, a)
		} else if _, err = l.config.Here.Claim(ctx, e); err == nil {
			return local()
		}
		if err == nil || !a.Claim && !errors.Is(err, errOld) || a.Claim && !errors.Is(err, rooms.ErrOwned) && !errors.Is(err, rooms.ErrConflict) {
			return all, err
		}
	}
	return nil, &rooms.Unavailable{Again: time.Second, Err: err}
}

// whose is the process that has a room, or the one that is to make it anew. Fresh asks the directory in any case.
func (l *Lobby) whose(ctx context.Context, id rooms.ID, players int, fresh bool) (at string, e rooms.RoomEntry, claim bool, err error) {
	l.mu.Lock()
	x := l.view.rooms[id]
	l.mu.Unlock()
	if x == nil || fresh {
		r, err := l.config.Directory.Load(ctx, rooms.RoomKey(id))
		if x != nil && errors.Is(err, rooms.ErrAbsent) { // it has just ended, or its process is about to write it again
			return "", e, false, &rooms.Unavailable{Again: time.Second, Err: fmt.Errorf("%w: %v", rooms.ErrAbsent, id)}
		}
		if errors.Is(err, rooms.ErrAbsent) {
			return "", e, false, fmt.Errorf("%w: %v", rooms.ErrRoom, id)
		}
		if err != nil {
			return "", e, false, &rooms.Unavailable{Again: downTime, Err: err}
		}
		l.mu.Lock()
		l.view.take(r)
		x = l.view.rooms[id]
		l.mu.Unlock()
		if x == nil {
			return "", e, false, fmt.Errorf("%w: %v", rooms.ErrRoom, id)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.config.Now()
	switch {
	case l.view.alive(x) && x.Process != l.view.own:
		return x.Process, x.RoomEntry, false, nil
	case l.ended(x):
		return "", e, false, fmt.Errorf("%w: %v", rooms.ErrRoom, id)
	case l.view.alive(x):
		return "", e, false, &rooms.Unavailable{Again: time.Second, Err: errNamesake}
	case l.view.foreign[x.Process] == x.ProcessEpoch:
		return "", e, false, &rooms.Unavailable{Again: time.Second, Err: errForeign}
	case now.Before(l.view.down):
		return "", e, false, &rooms.Unavailable{Again: l.view.down.Sub(now), Err: errSilent}
	}
	l.know()
	to, err := l.view.choose(&rooms.Wish{Kind: x.Kind, Schema: x.Schema, Players: make([]rooms.Player, players)}, true, nil, now)
	if err != nil {
		return "", e, false, err
	}
	l.view.settled(to, false)
	return to.process.Process, x.RoomEntry, true, nil
}

// ended reports whether a room that is not here was of this process, and has ended. The room of another process that has
// the name of this one, or had it before, may go on, or is made anew when that process is gone. With the lock.
func (l *Lobby) ended(x *room) bool {
	return l.here != nil && x.Process == l.view.own && x.ProcessEpoch == l.config.Here.Epoch() && l.view.alive(x)
}

// players are players as they are asked for.
func players(who []rooms.Player) []asks.Player {
	all := make([]asks.Player, len(who))
	for i, p := range who {
		all[i] = asks.Player(p)
	}
	return all
}
