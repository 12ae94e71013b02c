package rooms

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms/internal/goods"
	"github.com/tactusgo/tactus/systems/rooms/internal/passage"
	"github.com/tactusgo/tactus/systems/rooms/internal/seats"
)

// clients are who is connected, by seat, and what is to be told of who left.
type clients struct {
	here    []client
	joined  []client // hooks that wait for the end of the tick
	emptied []uint16 // seats whose client is gone, until what it was sent is on its way
	freed   []seats.Seat
	away    *passage.List
	arrived goods.Waiting
}

// client is one in its seat.
type client struct {
	session netsys.Session // nil: nobody is in this seat
	at      netip.AddrPort
	seat    Seat
	number  uint32
}

// door is a room to those who come and go. It is asked on the room's goroutine.
type door Room

var _ systems.Door = (*door)(nil)

// promise is the part of a seat that the book knows it by.
func (s Seat) promise() seats.Promise { return seats.Promise{Number: s.Number, Epoch: s.Epoch} }

// Admit implements [systems.Door].
func (d *door) Admit(s netsys.Session) error {
	seat, err := ParseSeat(s.UserData())
	if err != nil {
		return err
	}
	r := (*Room)(d)
	if seat.Room != r.about.id || seat.Player != s.ClientID() {
		return ErrSeat
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held.life.state() == Ended {
		return ErrEnded
	}
	if err := r.held.claimed(seat); err != nil {
		return err
	}
	return r.held.book.Admit(r.server.config.Now(), seat.promise(), seat.Player)
}

// Entered implements [systems.Door].
func (d *door) Entered(s netsys.Session, number uint32) {
	r := (*Room)(d)
	seat, err := ParseSeat(s.UserData())
	var back, ok bool
	if err == nil {
		r.mu.Lock()
		_, back, ok = r.held.book.Enter(seat.promise(), seat.Player, number)
		r.mu.Unlock()
	}
	if !ok {
		// It was kicked during its handshake.
		(*host)(d).tell(Notice{Event: RoomUnseated, Player: s.ClientID()})
		s.Close(r.server.config.Now(), ReasonUnseated)
		return
	}
	c := client{s, s.RemoteAddr(), seat, number}
	r.clients.here[seat.Number] = c
	r.port.Settle(seat.Number, c.at)
	r.changed()
	(*traveller)(r).arrive(c)
	if !back {
		r.clients.joined = append(r.clients.joined, c)
	}
}

// Left implements [systems.Door].
func (d *door) Left(s netsys.Session, number uint32, _ error, waits bool) {
	r := (*Room)(d)
	r.mu.Lock()
	r.held.book.Leave(s.ClientID(), number, waits)
	r.mu.Unlock()
	if seat, err := ParseSeat(s.UserData()); err == nil && r.clients.here[seat.Number].session == s {
		r.clients.here[seat.Number] = client{}
		r.clients.emptied = append(r.clients.emptied, seat.Number)
	}
	r.changed()
}

// Gone implements [systems.Door].
func (d *door) Gone(player uint64, number uint32) {
	r := (*Room)(d)
	r.mu.Lock()
	r.held.book.Gone(player, number)
	r.mu.Unlock()
}

// settle brings the seats up to date at the end of a turn, and calls the hooks.
func (d *door) settle(now time.Time) {
	x := &d.clients
	for _, n := range x.emptied {
		if x.here[n].session == nil {
			d.port.Vacate(n)
		}
	}
	x.emptied = x.emptied[:0]
	for n := range x.here {
		if c := &x.here[n]; c.session != nil {
			if at := c.session.RemoteAddr(); at != c.at {
				c.at = at
				d.port.Settle(uint16(n), at)
			}
		}
	}
	d.mu.Lock()
	book, life := d.held.book, &d.held.life
	book.Expire(now)
	x.freed = append(x.freed[:0], book.Freed()...)
	for _, s := range x.freed {
		if _, _, again := book.Of(s.Player); !again {
			(*traveller)(d).giveBack(s.Player)
			delete(x.arrived, s.Client)
		}
	}
	if book.Left() != d.kind.Capacity {
		life.empty = time.Time{}
	} else if life.empty.IsZero() {
		life.empty = now
	}
	d.mu.Unlock()
	if len(x.freed) > 0 {
		(*Room)(d).changed()
	}
	x.away.Turn(now)
	d.hooks()
}

// hooks tells the game who joined and who left, at rest.
func (d *door) hooks() {
	x := &d.clients
	for _, c := range x.joined {
		if d.kind.Joined != nil {
			d.kind.Joined((*Room)(d), c.seat, c.number)
		}
	}
	x.joined = x.joined[:0]
	d.left()
}

// left tells that seats are free.
func (d *door) left() {
	for _, s := range d.clients.freed {
		d.server.notes.freed(s.Player, (*Room)(d))
	}
	if d.kind.Left == nil {
		return
	}
	for _, s := range d.clients.freed {
		if s.Client != 0 {
			d.kind.Left((*Room)(d), Seat{Room: d.about.id, Epoch: s.Epoch, Player: s.Player, Party: s.Party})
		}
	}
}

// clear frees all seats, of a room that has ended: who has joined has left, and who is on its way goes by itself.
func (d *door) clear() {
	x := &d.clients
	d.mu.Lock()
	x.freed = append(x.freed[:0], d.held.book.Freed()...)
	for _, s := range d.held.book.All() {
		if s.Player != 0 {
			x.freed = append(x.freed, s)
		}
	}
	for player := range d.held.carried {
		(*traveller)(d).giveBack(player)
	}
	d.mu.Unlock()
	for _, c := range x.joined { // the game has not heard of them
		for i := range x.freed {
			if x.freed[i].Player == c.seat.Player {
				x.freed[i].Client = 0
			}
		}
	}
	d.left()
	x.away.End()
}
