package rooms

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// clients holds the connected clients by seat, spectators after players, and the pending hooks.
type clients struct {
	here    []client
	joined  []client // hooks that wait for the end of the tick
	emptied []uint16 // seats whose clients have left, until their last datagrams are sent
	freed   []bookSeat
	away    []*departingPlayer
}

// client is the client of one seat.
type client struct {
	session netsys.Session // nil: no client
	at      netip.AddrPort
	seat    Seat
	number  uint32
}

// admission is the admission handler of a room's server. The server calls it on the room's goroutine.
type admission struct{ *Room }

var _ systems.AdmissionHandler = admission{}

// promise returns the seat's promise for the seatBook.
func (s Seat) promise() seatPromise { return seatPromise{number: s.Number, epoch: s.Epoch} }

// Admit implements [systems.AdmissionHandler].
func (a admission) Admit(s netsys.Session) error {
	seat, err := ParseSeat(s.UserData())
	if err != nil {
		return err
	}
	if seat.Room != a.about.id || seat.Player != s.ClientID() {
		return ErrSeat
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held.life.state() == Ended {
		return ErrEnded
	}
	if a.handing.Load() {
		return fmt.Errorf("%w: another process is about to continue the room", netsys.ErrBusy)
	}
	if watches := a.spectates(seat); watches || s.Spectator() {
		err = a.held.checkSpectator(seat, s.Spectator(), watches)
	}
	if err != nil {
		return err
	}
	book, promise := a.held.bookOf(seat)
	return book.admit(a.server.config.Now(), promise, seat.Player)
}

// Entered implements [systems.AdmissionHandler].
func (a admission) Entered(s netsys.Session, number uint32) {
	seat, err := ParseSeat(s.UserData())
	var back, ok bool
	if err == nil {
		a.mu.Lock()
		book, promise := a.held.bookOf(seat)
		_, back, ok = book.enter(promise, seat.Player, number)
		a.mu.Unlock()
	}
	if !ok {
		// The player was kicked during its handshake.
		a.notify(Notice{Event: RoomUnseated, Player: s.ClientID()})
		s.Close(a.server.config.Now(), ReasonUnseated)
		return
	}
	c := client{s, s.RemoteAddr(), seat, number}
	a.clients.here[seat.Number] = c
	a.port.setAddress(seat.Number, c.at)
	a.changed()
	if s.Spectator() {
		return
	}
	if !back {
		a.clients.joined = append(a.clients.joined, c)
	}
}

// Left implements [systems.AdmissionHandler].
func (a admission) Left(s netsys.Session, number uint32, _ error, waits bool) {
	seat, err := ParseSeat(s.UserData())
	if err != nil {
		return
	}
	a.mu.Lock()
	book, _ := a.held.bookOf(seat)
	book.leave(s.ClientID(), number, waits)
	a.mu.Unlock()
	if a.clients.here[seat.Number].session == s {
		a.clients.here[seat.Number] = client{}
		a.clients.emptied = append(a.clients.emptied, seat.Number)
	}
	a.changed()
}

// Gone implements [systems.AdmissionHandler].
func (a admission) Gone(player uint64, number uint32) {
	a.mu.Lock()
	a.held.book.stopWaiting(player, number)
	a.mu.Unlock()
}

// reconcileSeats brings the seats and the addresses of clients up to date at the end of a turn, and calls the hooks.
func (r *Room) reconcileSeats(now time.Time) {
	x := &r.clients
	for _, n := range x.emptied {
		if x.here[n].session == nil {
			r.port.clearAddress(n)
		}
	}
	x.emptied = x.emptied[:0]
	for n := range x.here {
		if c := &x.here[n]; c.session != nil {
			if at := c.session.RemoteAddr(); at != c.at {
				c.at = at
				r.port.setAddress(uint16(n), at)
			}
		}
	}
	r.mu.Lock()
	book, life := r.held.book, &r.held.life
	book.expire(now)
	x.freed = append(x.freed[:0], book.drainFreed()...)
	for _, s := range x.freed {
		if _, _, again := book.seatOf(s.player); !again {
			delete(r.held.carried, s.player)
		}
	}
	if book.free() != r.kind.Capacity {
		life.empty = time.Time{}
	} else if life.empty.IsZero() {
		life.empty = now
	}
	spectators := r.held.spectators
	spectators.expire(now)
	left := len(spectators.drainFreed())
	r.mu.Unlock()
	if len(x.freed)+left > 0 {
		r.changed()
	}
	r.updateTravels(now)
	r.callHooks()
}

// callHooks calls Kind.Joined for the players who have joined, and Kind.Left for those whose seats are free.
func (r *Room) callHooks() {
	x := &r.clients
	for _, c := range x.joined {
		if r.kind.Joined != nil {
			r.kind.Joined(r, c.seat, c.number)
		}
	}
	x.joined = x.joined[:0]
	r.callLeft()
}

// callLeft notes in the directory that seats are free, and calls Kind.Left for those that had a client.
func (r *Room) callLeft() {
	for _, s := range r.clients.freed {
		r.server.unseated(s.player, r.about.id)
	}
	if r.kind.Left == nil || !r.moving.until.IsZero() { // who has moved has not left
		return
	}
	for _, s := range r.clients.freed {
		if s.client != 0 {
			r.kind.Left(r, Seat{Room: r.about.id, Epoch: s.epoch, Player: s.player, Party: s.party})
		}
	}
}

// freeAllSeats frees the seats of a room that has ended. It calls Kind.Left for players who have joined. Players who are
// travelling continue without this room.
func (r *Room) freeAllSeats() {
	x := &r.clients
	r.mu.Lock()
	x.freed = append(x.freed[:0], r.held.book.drainFreed()...)
	for _, s := range r.held.book.all() {
		if s.player != 0 {
			x.freed = append(x.freed, s)
		}
	}
	clear(r.held.carried)
	r.mu.Unlock()
	for _, c := range x.joined { // the game has not seen them yet
		for i := range x.freed {
			if x.freed[i].player == c.seat.Player {
				x.freed[i].client = 0
			}
		}
	}
	r.callLeft()
}
