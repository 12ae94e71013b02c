package rooms

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms/internal/goods"
	"github.com/tactusgo/tactus/systems/rooms/internal/passage"
)

// Destination is where a player goes: a room, or one of a kind.
type Destination struct {
	// Room is a room, here or elsewhere. Default (0): an open one of Kind that publishes Options, or a new one.
	Room    ID
	Kind    string
	Options Options
	// Data is [Player].Data there. Default (nil): that of the seat at hand.
	Data []byte
}

var (
	// ErrCarries: the room there has no place for what the player carries, or is of a kind that cannot carry it.
	ErrCarries = goods.ErrComponent
	// ErrTravels: the player is on its way already.
	ErrTravels = errors.New("rooms: the player is on its way already")
	// ErrTravelExpired: nobody let the player in there in time. It stays.
	ErrTravelExpired = passage.ErrExpired
	// ErrTravelReturned: the room there has ended, or its seat was free again before the player came. It stays.
	ErrTravelReturned = passage.ErrReturned
	// ErrTravelLost: the process there is gone that had let the player in, with what it carried. It stays.
	ErrTravelLost = passage.ErrLost
)

// Carry is a component that players carry from room to room: see [Kind].Carries.
type Carry = goods.Component

// Carries makes a Carry of the component T, which has fields of a fixed size. The entity that has it is the player's
// oldest; the value goes as it is, without the rounding of the wire.
func Carries[T any]() Carry { return goods.Of[T]() }

// newDesk makes the desk of a process.
func newDesk(c Config) *passage.Desk {
	return &passage.Desk{Errands: passage.NewErrands(), Memory: NewMemory(c.Now), Directory: c.Directory, Lease: c.Promise + 5*time.Minute}
}

// departure is who goes where, and how.
type departure struct {
	seat  Seat
	to    Destination
	items []goods.Item
	goods goods.Bundle
}

// prepareTravel makes the list of the room's travelling players, and adds the system that gives arriving players the
// components that they bring.
func (r *Room) prepareTravel(c *systems.ServerConfig) error {
	r.clients.away, r.clients.arrived = passage.NewList(r.server.travel, travelHost{r}), make(goods.Waiting)
	if len(r.kind.Carries) == 0 {
		return nil
	}
	set, change := goods.Set(r.kind.Carries), c.Schedule
	c.Schedule = func(s *ecs.Schedule) error {
		var err error
		if change != nil {
			err = change(s)
		}
		return errors.Join(err, s.InsertAfter("ServerApply", ecs.System{Name: "Arrive", Run: func(w *ecs.World) { r.clients.arrived.Give(w, set) }}))
	}
	return set.Under(c.Policies)
}

// startTravel begins to hand a player over. The caller holds the floor.
func (r *Room) startTravel(player uint64, to Destination) {
	var from *client
	for i := range r.clients.here {
		if c := &r.clients.here[i]; c.session != nil && c.seat.Player == player {
			from = c
		}
	}
	switch {
	case from == nil:
		r.notifyTravelled(Seat{Room: r.about.id, Player: player}, ErrNoSeat)
		return
	case r.clients.away.Of(player) != nil:
		r.notifyTravelled(from.seat, ErrTravels)
		return
	}
	d := &departure{seat: from.seat, to: to}
	if to.Data == nil {
		d.to.Data = from.seat.Data
	}
	room := r.server.Room(to.Room)
	kind := r.server.kinds[to.Kind]
	if room != nil {
		kind = room.kind
	}
	w, set := r.game.World(), goods.Set(r.kind.Carries)
	e, owns := goods.EntityOf(w, from.number)
	if owns && kind != nil {
		if err := goods.Set(kind.Carries).Takes(set.Has(w, e)); err != nil {
			r.notifyTravelled(d.seat, err)
			return
		}
	}
	if owns {
		d.items = set.Lift(w, e)
	}
	d.items = append(d.items, r.clients.arrived[from.number]...) // what it has not been given yet goes on with it
	delete(r.clients.arrived, from.number)
	d.goods = goods.Bundle{Passage: draw(r.server.random), Here: room != nil || to.Room == 0 && r.server.elsewhere() == nil, Items: d.items}
	r.clients.away.Depart(&passage.Away{
		Player: player, Client: from.number, Note: r.server.travel.Note(d.goods.Passage, d.goods.Here), Until: r.server.config.Now(), Cargo: d,
	})
}

// elsewhere returns what Server.Elsewhere was called with last.
func (s *Server) elsewhere() Seats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.elsewhere
}

// travelHost is the room that players leave, as the list of travelling players calls it.
type travelHost struct{ *Room }

// Tell implements [passage.House].
func (r travelHost) Tell(f func()) { r.Room.Tell(func(*systems.Server) { f() }) }

// Reserve implements [passage.House].
func (r travelHost) Reserve(ctx context.Context, a *passage.Away) error {
	d := a.Cargo.(*departure)
	who := Player{ID: a.Player, Party: d.seat.Party, Data: d.to.Data, Carried: d.goods.Append(nil)}
	seats := Here(r.server)
	if !d.goods.Here {
		if seats = r.server.elsewhere(); seats == nil {
			return fmt.Errorf("%w: %v, and nobody gives seats elsewhere: call Server.Elsewhere", ErrRoom, d.to.Room)
		}
	}
	var all []Admission
	var err error
	if d.to.Room != 0 {
		all, err = seats.Reserve(ctx, d.to.Room, who)
	} else {
		wish := Wish{Kind: d.to.Kind, Options: d.to.Options, Players: []Player{who}}
		if k := r.server.kinds[d.to.Kind]; k != nil {
			wish.Schema = k.schema
		}
		all, err = seats.Join(ctx, wish)
	}
	if err != nil {
		return err
	}
	t := systems.Ticket{Kind: all[0].Kind, Schema: all[0].Schema, Token: all[0].Token, WS: all[0].Endpoints.WS, WebTransport: all[0].Endpoints.WebTransport}
	a.Way, a.Until = t, all[0].Expires
	return t.Validate()
}

// Send implements [passage.House].
func (r travelHost) Send(a *passage.Away) bool {
	return systems.HandOver(r.game, a.Client, a.Way.(systems.Ticket)) == nil
}

// Gone implements [passage.House].
func (r travelHost) Gone(a *passage.Away) {
	d := a.Cargo.(*departure)
	r.mu.Lock()
	_, s, has := r.held.book.Of(a.Player)
	if has = has && s.Client == a.Client; has {
		_, _ = r.held.book.Kick(a.Player) // it has a seat
	}
	r.mu.Unlock()
	if s := r.game.Session(a.Client); has && s != nil && s.ClientID() == a.Player {
		s.Close(r.server.config.Now(), ReasonTravelled)
	}
	r.changed()
	r.notifyTravelled(d.seat, nil)
}

// Stays implements [passage.House].
func (r travelHost) Stays(a *passage.Away, why error) {
	d := a.Cargo.(*departure)
	r.mu.Lock()
	n, s, has := r.held.book.Of(a.Player)
	r.mu.Unlock()
	if has = has && s.Client == a.Client; has && !errors.Is(why, ErrTravelLost) && len(d.items) > 0 {
		r.clients.arrived[a.Client] = append(r.clients.arrived[a.Client], d.items...)
	}
	if has {
		r.server.notes.seated(Seat{Room: r.about.id, Number: n, Epoch: s.Epoch, Player: a.Player, Party: s.Party}, r.Room)
	}
	r.notifyTravelled(d.seat, why)
}

// notifyTravelled reports how a travel ended, to the operator and by Kind.Travelled.
func (r *Room) notifyTravelled(s Seat, why error) {
	r.notify(Notice{Event: RoomLeft, Player: s.Player, Err: why})
	if r.kind.Travelled != nil {
		s.Data = nil
		r.kind.Travelled(r, s, why)
	}
}

// claimCarried claims what a player brings when its token is shown. The caller holds the room's lock.
func (r *Room) claimCarried(s Seat) {
	c, ok := r.held.carried[s.Player]
	n, seat, has := r.held.book.Of(s.Player)
	if !ok || !has || c.claim != nil || n != s.Number || seat.Epoch != s.Epoch || s.Epoch < c.epoch {
		return
	}
	if b, err := goods.Parse(c.bytes); err == nil {
		c.claim = r.server.travel.Knock(r.server.travel.Note(b.Passage, b.Here))
		r.held.carried[s.Player] = c
	}
}

// checkCarried returns an error until it is decided that this room has what the player of a seat brings. The caller holds
// the room's lock.
func (h *held) checkCarried(s Seat) error {
	c, ok := h.carried[s.Player]
	if !ok || !goods.Is(c.bytes) || s.Epoch < c.epoch {
		return nil
	}
	if c.claim == nil {
		return ErrTravelReturned
	}
	switch yes, decided := c.claim.Granted(); {
	case !decided:
		return fmt.Errorf("%w: the directory has not answered", netsys.ErrBusy)
	case !yes:
		return ErrTravelReturned
	}
	return nil
}

// receiveCarried gives a player who has entered what it brings. The caller holds the floor.
func (r *Room) receiveCarried(c client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, ok := r.held.carried[c.seat.Player]
	if !ok || x.claim == nil || c.seat.Epoch < x.epoch {
		return
	}
	delete(r.held.carried, c.seat.Player)
	r.server.travel.Enter(x.claim)
	if b, err := goods.Parse(x.bytes); err == nil && len(b.Items) > 0 {
		r.clients.arrived[c.number] = append(r.clients.arrived[c.number], b.Items...)
	}
}

// returnCarried gives what a player did not bring back to the room that it left. The caller holds the room's lock.
func (r *Room) returnCarried(player uint64) {
	if b, err := goods.Parse(r.held.carried[player].bytes); err == nil {
		r.server.travel.Return(r.server.travel.Note(b.Passage, b.Here))
	}
	delete(r.held.carried, player)
}
