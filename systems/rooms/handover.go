package rooms

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// ErrMoved is the reason why a room ends in a process that drains: another process of the fleet continues it.
var ErrMoved = errors.New("rooms: another process continues the room")

// moveTimeout is how long a room waits for its clients to go to the process that continues it.
const moveTimeout = 5 * time.Second

// errBusy is the reason why a room is not handed over: players are on their way to other rooms.
var errBusy = errors.New("rooms: players are travelling")

// moving is the state of a room's handover to another process. It is used with the floor.
type moving struct {
	until   time.Time // when its clients must be gone; zero: no process has continued it
	tickets []movingClient
}

// movingClient is a client that has not been sent its ticket.
type movingClient struct {
	number uint32
	ticket systems.Ticket
}

const (
	// handOverInterval is after how long a failed handover is tried again. It doubles up to maxHandOverInterval.
	handOverInterval    = 5 * time.Second
	maxHandOverInterval = time.Minute
	// undecidedTimeout is how long a room stands still at most, while its process does not know whether another one has it. After
	// that time without the directory, the process is fenced.
	undecidedTimeout = 10 * time.Second
)

// handOver makes another process of the fleet continue the room, whose process drains. If none does, the room drains, and handOver
// tries again until the room has ended.
func (r *Room) handOver(ctx context.Context) {
	if r.leaving.Swap(true) {
		return // since an earlier Drain
	}
	if err := r.tryHandOver(ctx); err != nil {
		r.server.config.Logger.Info("no other process continues the room, which drains and tries again", "kind", r.kind.Name, "room", r.about.id, "reason", err)
		r.Drain()
		r.handOverLater(handOverInterval)
	}
}

// tryHandOver hands the room over once. Few rooms are handed over at a time.
func (r *Room) tryHandOver(ctx context.Context) error {
	s := r.server
	s.handing <- struct{}{}
	defer func() { <-s.handing }()
	return r.moveAway(context.WithoutCancel(ctx))
}

// handOverLater tries to hand the room over after a pause. While the room cannot be saved, it does not try, because the world stands
// still meanwhile.
func (r *Room) handOverLater(pause time.Duration) {
	s := r.server
	due := s.config.Now().Add(pause)
	var try func(ctx context.Context)
	try = func(ctx context.Context) {
		select {
		case <-r.gone:
			return
		default:
		}
		if s.config.Now().Before(due) || r.saves.failing.Load() || r.undecided.Load() {
			s.tasks.retry(try)
		} else if err := r.tryHandOver(ctx); err != nil {
			s.config.Logger.Debug("no other process continues the room yet", "kind", r.kind.Name, "room", r.about.id, "reason", err)
			r.handOverLater(min(2*pause, maxHandOverInterval))
		}
	}
	s.tasks.retry(try)
}

// moveAway stops the world, saves it, lets another process claim the room, and sends the clients there. After an error the room
// continues.
func (r *Room) moveAway(ctx context.Context) error {
	var c *capture
	var who []Player
	failed, moves := error(nil), false
	if err := r.Do(func(game *systems.Server) {
		if moves = r.handing.Load(); moves {
			return // since an earlier Drain
		}
		if game.Tick() == 0 || len(r.clients.away) > 0 {
			failed = errBusy
			return
		}
		game.Pause(true)
		r.handing.Store(true)
		c = r.capture()
		for _, x := range r.clients.here {
			if x.session != nil && !r.spectates(x.seat) {
				who = append(who, Player{ID: x.seat.Player, Party: x.seat.Party, Data: x.seat.Data})
			}
		}
	}); moves || err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	data, err := c.seal()
	asked := false
	if err = c.store(ctx, data, err); err == nil {
		asked = true
		var all []Admission
		if all, err = r.server.fleet.HandOver(ctx, r, c.saved.Tick, who); err == nil {
			return r.Do(func(*systems.Server) { r.sendAway(all) })
		}
	}
	if asked && errors.Is(err, ErrUnavailable) { // the other process may have the room, and its answer be lost
		r.undecided.Store(true)
		r.changed() // its record is written, or another process has it
		r.decideBy(r.server.config.Now().Add(undecidedTimeout))
		return err
	}
	r.goOn()
	return err
}

// goOn makes the room continue here after a handover that has failed.
func (r *Room) goOn() {
	r.handing.Store(false)
	r.Tell(func(game *systems.Server) { game.Pause(false) })
	r.changed()
}

// decided makes the room continue here, if that was undecided.
func (r *Room) decided() {
	if r.undecided.Swap(false) {
		r.goOn()
	}
}

// decideBy makes the room continue here at a time, if it is undecided then.
func (r *Room) decideBy(due time.Time) {
	r.server.tasks.retry(func(context.Context) {
		if r.server.config.Now().Before(due) && r.undecided.Load() {
			r.decideBy(due)
		} else {
			r.decided()
		}
	})
}

// sendAway begins to send the clients to the process that has given these seats.
func (r *Room) sendAway(all []Admission) {
	now := r.server.config.Now()
	r.moving.until = now.Add(moveTimeout)
	r.server.hideRoom(r)
	for _, c := range r.clients.here {
		if c.session != nil && r.spectates(c.seat) {
			c.session.Close(now, ReasonClaimed)
		}
	}
	for _, a := range all {
		for _, c := range r.clients.here {
			switch {
			case c.session == nil || c.seat.Player != a.Seat.Player || r.spectates(c.seat):
			case a.Schema != r.kind.schema: // another version of the game continues the room
				c.session.Close(now, netsys.ReasonProtocol)
			default:
				r.moving.tickets = append(r.moving.tickets, movingClient{c.number, a.ticket()})
			}
		}
	}
}

// endIfMoved sends tickets, and ends the room when its clients are gone. The caller holds the floor.
func (r *Room) endIfMoved(now time.Time) {
	x := &r.moving
	if x.until.IsZero() {
		return
	}
	x.tickets = slices.DeleteFunc(x.tickets, func(c movingClient) bool {
		return !errors.Is(systems.HandOver(r.game, c.number, c.ticket), netsys.ErrFull)
	})
	if !now.Before(x.until) || !slices.ContainsFunc(r.clients.here, func(c client) bool { return c.session != nil }) {
		r.finish(ErrMoved, ReasonClaimed)
	}
}
