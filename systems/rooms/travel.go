package rooms

import (
	"context"
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Destination is the room to which a player travels, given by id or by kind.
type Destination struct {
	// Room is the id of a room, in any process. Default (0): another open room of Kind that publishes Options, or a new one.
	Room    ID
	Kind    string
	Options Options
	// Data is [Player].Data in the destination. Default (nil): the data of the current seat.
	Data []byte
}

var (
	// ErrCarries: the destination cannot hold a carried component, or its kind carries none.
	ErrCarries = errors.New("rooms: no component to carry")
	// ErrTravels: the player is already travelling.
	ErrTravels = errors.New("rooms: the player is already travelling")
	// ErrTravelExpired: the destination did not admit the player in time. The player stays.
	ErrTravelExpired = errors.New("rooms: the other room did not admit the player in time")
	// ErrTravelReturned: the destination has ended, or its seat was freed before the player arrived. The player stays.
	ErrTravelReturned = errors.New("rooms: the other room did not keep the seat")
	// ErrTravelLost: the destination's process died after admitting the player, and the carried components are lost. The
	// player stays.
	ErrTravelLost = errors.New("rooms: the process that admitted the player has died, and the carried components are lost")
)

// prepareTravel makes the list of the room's travelling players, and adds the system that gives arriving players the
// components that they bring.
func (r *Room) prepareTravel(c *systems.ServerConfig) error {
	r.clients.away, r.clients.arrived = newDepartures(r.server.travel, r), make(waitingItems)
	if len(r.kind.Carries) == 0 {
		return nil
	}
	set, change := carrySet(r.kind.Carries), c.Schedule
	c.Schedule = func(s *ecs.Schedule) error {
		var err error
		if change != nil {
			err = change(s)
		}
		return errors.Join(err, s.InsertAfter("ServerApply", ecs.System{Name: "Arrive", Run: func(w *ecs.World) { r.clients.arrived.attach(w, set) }}))
	}
	return set.checkModel(c.Model)
}

// startTravel starts the transfer of a player. The caller holds the floor.
func (r *Room) startTravel(player uint64, to Destination) {
	var from *client
	for i := range r.clients.here {
		if c := &r.clients.here[i]; c.session != nil && c.seat.Player == player && !r.spectates(c.seat) {
			from = c
		}
	}
	switch {
	case from == nil:
		r.notifyTravelled(Seat{Room: r.about.id, Player: player}, ErrNoSeat)
		return
	case r.clients.away.player(player) != nil:
		r.notifyTravelled(from.seat, ErrTravels)
		return
	}
	d := &departingPlayer{player: player, client: from.number, until: r.server.config.Now(), seat: from.seat, to: to}
	if to.Data == nil {
		d.to.Data = from.seat.Data
	}
	room := r.server.Room(to.Room)
	kind := r.server.kinds[to.Kind]
	if room != nil {
		kind = room.kind
	}
	w, set := r.game.World(), carrySet(r.kind.Carries)
	e, owns := oldestEntity(w, from.number)
	if owns && kind != nil {
		if err := carrySet(kind.Carries).checkItems(set.itemsOf(w, e)); err != nil {
			r.notifyTravelled(d.seat, err)
			return
		}
	}
	if owns {
		d.bundle.items = set.detach(w, e)
	}
	d.bundle.items = append(d.bundle.items, r.clients.arrived[from.number]...) // items that the player has not received yet travel along
	delete(r.clients.arrived, from.number)
	d.bundle.transfer, d.bundle.local = draw(r.server.random), room != nil || r.server.fleet == nil
	d.record = r.server.transferRecord(d.bundle.transfer, d.bundle.local)
	r.clients.away.start(d)
}

// betweenTicks implements [departureRoom].
func (r *Room) betweenTicks(f func()) { r.Tell(func(*systems.Server) { f() }) }

// reserveDestination implements [departureRoom].
func (r *Room) reserveDestination(ctx context.Context, d *departingPlayer) error {
	who := Player{ID: d.player, Party: d.seat.Party, Data: d.to.Data, Carried: d.bundle.appendTo(nil)}
	seats := Here(r.server)
	if !d.bundle.local {
		seats = r.server.fleet
	}
	var all []Admission
	var err error
	if d.to.Room != 0 {
		all, err = seats.Reserve(ctx, d.to.Room, who)
	} else {
		wish := Wish{Kind: d.to.Kind, Options: d.to.Options, Players: []Player{who}, Leaves: r.about.id}
		if k := r.server.kinds[d.to.Kind]; k != nil {
			wish.Schema = k.schema
		}
		all, err = seats.Join(ctx, wish)
	}
	if err != nil {
		return err
	}
	d.ticket, d.until = all[0].ticket(), all[0].Expires
	return d.ticket.Validate()
}

// ticket returns the ticket with which a client goes to its seat.
func (a *Admission) ticket() systems.Ticket {
	return systems.Ticket{Kind: a.Kind, Schema: a.Schema, Token: a.Token, WS: a.Endpoints.WS, WebTransport: a.Endpoints.WebTransport}
}

// sendTicket implements [departureRoom].
func (r *Room) sendTicket(d *departingPlayer) bool {
	return systems.HandOver(r.game, d.client, d.ticket) == nil
}

// playerTravelled implements [departureRoom].
func (r *Room) playerTravelled(d *departingPlayer) {
	r.mu.Lock()
	_, s, has := r.held.book.seatOf(d.player)
	if has = has && s.client == d.client; has {
		_, _ = r.held.book.kick(d.player) // it has a seat
	}
	r.mu.Unlock()
	if s := r.game.Session(d.client); has && s != nil && s.ClientID() == d.player {
		s.Close(r.server.config.Now(), ReasonTravelled)
	}
	r.changed()
	r.notifyTravelled(d.seat, nil)
}

// playerStays implements [departureRoom].
func (r *Room) playerStays(d *departingPlayer, why error) {
	r.mu.Lock()
	n, s, has := r.held.book.seatOf(d.player)
	r.mu.Unlock()
	if has = has && s.client == d.client; has && !errors.Is(why, ErrTravelLost) && len(d.bundle.items) > 0 {
		r.clients.arrived[d.client] = append(r.clients.arrived[d.client], d.bundle.items...)
	}
	if has {
		r.server.seated(Seat{Room: r.about.id, Number: n, Epoch: s.epoch, Player: d.player, Party: s.party}, r)
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

// claimCarried claims the items of a player who presented a token. The caller holds the room's lock.
func (r *Room) claimCarried(s Seat) {
	c, ok := r.held.carried[s.Player]
	n, seat, has := r.held.book.seatOf(s.Player)
	if !ok || !has || c.claim != nil || n != s.Number || seat.epoch != s.Epoch || s.Epoch < c.epoch {
		return
	}
	if b, err := parseBundle(c.bytes); err == nil {
		c.claim = r.server.travel.claim(r.server.transferRecord(b.transfer, b.local))
		r.held.carried[s.Player] = c
	}
}

// checkCarried returns an error until this room owns the items of a seat's player. The caller holds the room's lock.
func (h *held) checkCarried(s Seat) error {
	c, ok := h.carried[s.Player]
	if !ok || !isBundle(c.bytes) || s.Epoch < c.epoch {
		return nil
	}
	if c.claim == nil {
		return ErrTravelReturned
	}
	switch yes, decided := c.claim.granted(); {
	case !decided:
		return fmt.Errorf("%w: the directory has not answered", netsys.ErrBusy)
	case !yes:
		return ErrTravelReturned
	}
	return nil
}

// receiveCarried gives an entered player its items. The caller holds the floor.
func (r *Room) receiveCarried(c client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, ok := r.held.carried[c.seat.Player]
	if !ok || x.claim == nil || c.seat.Epoch < x.epoch {
		return
	}
	delete(r.held.carried, c.seat.Player)
	r.server.travel.confirm(x.claim)
	if b, err := parseBundle(x.bytes); err == nil && len(b.items) > 0 {
		r.clients.arrived[c.number] = append(r.clients.arrived[c.number], b.items...)
	}
}

// returnCarried returns items of a player who did not enter to the previous room. The caller holds the room's lock.
func (r *Room) returnCarried(player uint64) {
	if b, err := parseBundle(r.held.carried[player].bytes); err == nil {
		r.server.travel.giveBack(r.server.transferRecord(b.transfer, b.local))
	}
	delete(r.held.carried, player)
}
