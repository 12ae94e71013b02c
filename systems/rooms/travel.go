package rooms

import (
	"context"
	"errors"
	"slices"
	"time"

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
	// Carried is what the player takes along, for [Room.Carried] in the destination: at most [MaxCarried] bytes.
	Carried []byte
}

var (
	// ErrTravels: the player is already travelling.
	ErrTravels = errors.New("rooms: the player is already travelling")
	// ErrTravelExpired: the client did not go to the other room in time. The player stays.
	ErrTravelExpired = errors.New("rooms: the client did not go to the other room in time")
)

// lateEntry is how long after the expiry of its token a player may still enter, because of a handshake in progress or a clock
// difference.
const lateEntry = 15 * time.Second

// departingPlayer is a player on its way to another room. It belongs to the goroutine of the room that it leaves.
type departingPlayer struct {
	client client
	ticket systems.Ticket
	until  time.Time // expiry of the ticket; zero: there is no seat yet
	sent   bool      // the client gets the ticket
}

// Travel moves a player to another room: the player gets a seat there, its client gets a ticket and follows. The client leaves this
// room when it has entered the other one. Destination.Carried goes along, from server to server: take it from the world before, and
// give it back when [Kind].Travelled gets an error.
//
// Travel may be called from any goroutine, from hooks and from systems. It returns [ErrNoSeat], [ErrOptions] or [ErrPlayer].
// Travelled gets all other errors: those of [Seats], [ErrTravels] and [ErrTravelExpired].
func (r *Room) Travel(player uint64, to Destination) error {
	options, err := to.Options.Clean()
	if err == nil {
		err = check([]Player{{ID: player, Data: to.Data, Carried: to.Carried}})
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

// startTravel gets a seat for a player in the destination. The caller holds the floor.
func (r *Room) startTravel(player uint64, to Destination) {
	x := &r.clients
	i := slices.IndexFunc(x.here, func(c client) bool { return c.session != nil && c.seat.Player == player && !r.spectates(c.seat) })
	switch {
	case i < 0:
		r.notifyTravelled(Seat{Room: r.about.id, Player: player}, ErrNoSeat)
		return
	case slices.ContainsFunc(x.away, func(d *departingPlayer) bool { return d.client.seat.Player == player }):
		r.notifyTravelled(x.here[i].seat, ErrTravels)
		return
	}
	d := &departingPlayer{client: x.here[i]}
	x.away = append(x.away, d)
	if to.Data == nil {
		to.Data = d.client.seat.Data
	}
	r.server.tasks.add(func(ctx context.Context) {
		a, err := r.reserveDestination(ctx, to, Player{ID: player, Party: d.client.seat.Party, Data: to.Data, Carried: to.Carried})
		r.Tell(func(*systems.Server) {
			if d.ticket, d.until = a.ticket(), a.Expires; err != nil {
				r.endTravel(d, err)
			}
		})
	})
}

// reserveDestination gets a seat in the destination.
func (r *Room) reserveDestination(ctx context.Context, to Destination, who Player) (a Admission, err error) {
	seats := Here(r.server)
	if r.server.fleet != nil && r.server.Room(to.Room) == nil {
		seats = r.server.fleet
	}
	var all []Admission
	if to.Room != 0 {
		all, err = seats.Reserve(ctx, to.Room, who)
	} else {
		wish := Wish{Kind: to.Kind, Options: to.Options, Players: []Player{who}, Leaves: r.about.id}
		if k := r.server.kinds[to.Kind]; k != nil {
			wish.Schema = k.schema
		}
		all, err = seats.Join(ctx, wish)
	}
	if err != nil {
		return a, err
	}
	t := all[0].ticket()
	return all[0], t.Validate()
}

// ticket returns the ticket with which a client goes to its seat.
func (a *Admission) ticket() systems.Ticket {
	return systems.Ticket{Kind: a.Kind, Schema: a.Schema, Token: a.Token, WS: a.Endpoints.WS, WebTransport: a.Endpoints.WebTransport}
}

// updateTravels sends tickets, and ends the travels of players who have left or whose tickets have expired.
func (r *Room) updateTravels(now time.Time) {
	for _, d := range slices.Clone(r.clients.away) {
		r.mu.Lock()
		_, s, has := r.held.book.seatOf(d.client.seat.Player)
		r.mu.Unlock()
		here := r.clients.here[d.client.seat.Number].session != nil
		switch late := !now.Before(d.until.Add(lateEntry)); {
		case d.until.IsZero():
		case !has || s.client != d.client.number || late && !here:
			r.endTravel(d, nil)
		case late:
			r.server.seated(s.player, r.about.id)
			r.endTravel(d, ErrTravelExpired)
		case !d.sent && here:
			d.sent = systems.HandOver(r.game, d.client.number, d.ticket) == nil
		}
	}
}

// endTravel ends the travel of a player.
func (r *Room) endTravel(d *departingPlayer, why error) {
	r.clients.away = slices.DeleteFunc(r.clients.away, func(x *departingPlayer) bool { return x == d })
	r.notifyTravelled(d.client.seat, why)
}

// notifyTravelled reports how a travel ended, to the operator and by Kind.Travelled.
func (r *Room) notifyTravelled(s Seat, why error) {
	r.notify(Notice{Event: RoomLeft, Player: s.Player, Err: why})
	if r.kind.Travelled != nil {
		s.Data = nil
		r.kind.Travelled(r, s, why)
	}
}
