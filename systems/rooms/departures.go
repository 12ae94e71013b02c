package rooms

import (
	"context"
	"slices"
	"time"

	"github.com/tactusgo/tactus/systems"
)

const (
	// recordInterval is the interval for reading the record of a transfer.
	recordInterval = 200 * time.Millisecond
	// lateEntry is how long after the expiry of its token a player may still enter, because of a handshake in progress or a
	// clock difference.
	lateEntry = 15 * time.Second
	// lostTimeout is how long after lateEntry a room waits for the result of a destination that has admitted the player.
	lostTimeout = time.Minute
)

// departingPlayer is a player on its way to another room. It belongs to the goroutine of the room that it leaves.
type departingPlayer struct {
	player uint64
	client uint32
	record transferRecord
	until  time.Time // expiry of its token

	seat   Seat
	to     Destination
	bundle bundle
	ticket systems.Ticket

	sent    bool      // the client has received its ticket
	waiting bool      // for the record, or for a seat in the destination
	next    time.Time // when to read the record again
}

// departureRoom is the room from which players depart.
type departureRoom interface {
	// betweenTicks runs f between two ticks, on the room's goroutine.
	betweenTicks(f func())
	// reserveDestination gets a seat in the destination and sets ticket and until. It runs on another goroutine than the
	// room's.
	reserveDestination(ctx context.Context, a *departingPlayer) error
	// sendTicket sends the client to the destination. It returns false if this must wait.
	sendTicket(a *departingPlayer) bool
	// playerTravelled frees the seat of a player who now plays in the destination.
	playerTravelled(a *departingPlayer)
	// playerStays returns the carried components to a player who stays, unless why is ErrTravelLost.
	playerStays(a *departingPlayer, why error)
}

// departures is the list of players who are travelling to other rooms.
type departures struct {
	service *transferService
	room    departureRoom
	players []*departingPlayer
}

// newDepartures returns an empty list.
func newDepartures(d *transferService, h departureRoom) *departures {
	return &departures{service: d, room: h}
}

// player returns a travelling player, or nil.
func (l *departures) player(player uint64) *departingPlayer {
	for _, a := range l.players {
		if a.player == player {
			return a
		}
	}
	return nil
}

// start opens the transfer of a player, reserves its seat in the destination and sends it there.
func (l *departures) start(a *departingPlayer) {
	l.players, a.waiting = append(l.players, a), true
	l.service.tasks.add(func(ctx context.Context) {
		err := a.record.open(ctx)
		if err == nil {
			if err = l.room.reserveDestination(ctx, a); err != nil {
				a.record.remove(ctx) // not published yet
			}
		}
		l.room.betweenTicks(func() {
			if err != nil {
				l.giveUp(a, err)
				return
			}
			a.sent, a.waiting = l.room.sendTicket(a), false
		})
	})
}

// update sends the outstanding tickets and reads the records of all transfers.
func (l *departures) update(now time.Time) {
	for _, a := range slices.Clone(l.players) {
		if a.waiting || now.Before(a.next) {
			continue
		}
		if !a.sent && now.Before(a.until) {
			a.sent = l.room.sendTicket(a)
		}
		l.checkRecord(a, now)
	}
}

// checkRecord reads the record of a transfer and ends the transfer if it is decided.
func (l *departures) checkRecord(a *departingPlayer, now time.Time) {
	a.waiting = true
	a.next = now.Add(recordInterval)
	l.service.run(a.record, func(ctx context.Context) {
		s, err := a.record.read(ctx)
		why := error(ErrTravelReturned)
		if err == nil && (s == transferBack || s == transferOpen && !now.Before(a.until.Add(lateEntry))) {
			if s == transferOpen {
				why = ErrTravelExpired
			}
			s, err = a.record.move(ctx, transferTaken, transferOpen, transferBack)
		}
		l.room.betweenTicks(func() {
			switch a.waiting = false; {
			case err != nil:
			case s == transferEntered:
				l.remove(a)
				l.room.playerTravelled(a)
				l.service.run(a.record, a.record.remove)
			case s == transferTaken:
				l.giveUp(a, why)
				l.service.run(a.record, a.record.remove)
			case (s == transferLet || s == transferNone) && !now.Before(a.until.Add(lateEntry+lostTimeout)):
				l.giveUp(a, ErrTravelLost)
			}
		})
	})
}

// abandon leaves the records of all transfers to the transfer service, because the room has ended.
func (l *departures) abandon() {
	for _, a := range l.players {
		l.service.removeWhenDone(a.record)
	}
	l.players = nil
}

// remove removes a player from the list.
func (l *departures) remove(a *departingPlayer) {
	l.players = slices.DeleteFunc(l.players, func(x *departingPlayer) bool { return x == a })
}

// giveUp ends the transfer of a player who stays.
func (l *departures) giveUp(a *departingPlayer, why error) {
	l.remove(a)
	l.room.playerStays(a, why)
}
