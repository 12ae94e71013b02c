package rooms

import (
	"context"
	"slices"
	"time"

	"github.com/tactusgo/tactus/systems"
)

const (
	// recordInterval is how often the record of a transfer is read.
	recordInterval = 200 * time.Millisecond
	// lateEntry is how long after its token has expired a player may still enter: its handshake may be under way, and
	// clocks differ.
	lateEntry = 15 * time.Second
	// lostTimeout is how long after lateEntry a room waits for the destination that has let the player in and does not
	// write what became of it.
	lostTimeout = time.Minute
)

// departingPlayer is a player on its way to another room. It belongs to the goroutine of the room that it leaves.
type departingPlayer struct {
	player uint64
	client uint32
	record transferRecord
	until  time.Time // the end of its token

	seat   Seat
	to     Destination
	bundle bundle
	ticket systems.Ticket

	sent    bool      // the client has its ticket
	waiting bool      // for the record, or for a seat there
	next    time.Time // when to read the record again
}

// departureRoom is the room that players leave.
type departureRoom interface {
	// betweenTicks runs f between two ticks, on the room's goroutine.
	betweenTicks(f func())
	// reserveDestination gets a seat in the other room and sets ticket and until. It is called on another goroutine than
	// the room's.
	reserveDestination(ctx context.Context, a *departingPlayer) error
	// sendTicket sends the client to the other room. It reports false where that has to wait.
	sendTicket(a *departingPlayer) bool
	// playerTravelled frees the seat of a player who plays in the other room.
	playerTravelled(a *departingPlayer)
	// playerStays gives a player who does not leave what it carries back, unless why is ErrTravelLost.
	playerStays(a *departingPlayer, why error)
}

// departures lists the players of a room who are on their way to other rooms.
type departures struct {
	service *transferService
	room    departureRoom
	players []*departingPlayer
}

// newDepartures returns an empty list.
func newDepartures(d *transferService, h departureRoom) *departures {
	return &departures{service: d, room: h}
}

// player returns a player who is on its way, nil where it is not.
func (l *departures) player(player uint64) *departingPlayer {
	for _, a := range l.players {
		if a.player == player {
			return a
		}
	}
	return nil
}

// start opens the transfer of a player, reserves its seat in the other room and sends it there.
func (l *departures) start(a *departingPlayer) {
	l.players, a.waiting = append(l.players, a), true
	l.service.tasks.add(func(ctx context.Context) {
		err := a.record.open(ctx)
		if err == nil {
			if err = l.room.reserveDestination(ctx, a); err != nil {
				a.record.remove(ctx) // nobody has heard of it
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

// update sends the tickets that are still to be sent, and reads the records of all transfers.
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

// checkRecord reads the record of a transfer and ends the transfer where that is decided.
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

// abandon leaves the records of all transfers to the transfer service. The room has ended, so nobody learns how they
// end.
func (l *departures) abandon() {
	for _, a := range l.players {
		l.service.removeWhenDone(a.record)
	}
	l.players = nil
}

// remove takes a player off the list.
func (l *departures) remove(a *departingPlayer) {
	l.players = slices.DeleteFunc(l.players, func(x *departingPlayer) bool { return x == a })
}

// giveUp ends the transfer of a player who stays.
func (l *departures) giveUp(a *departingPlayer, why error) {
	l.remove(a)
	l.room.playerStays(a, why)
}
