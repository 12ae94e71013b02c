package passage

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// lookEvery is between two looks at a note that is elsewhere.
	lookEvery = 200 * time.Millisecond
	// late is how long after the end of its token a player may be let in: with a handshake on its way, by clocks that
	// differ.
	late = 15 * time.Second
	// lost is how long after that a room is waited for that has let somebody in, and does not say what became of it.
	lost = time.Minute
)

// Why a player stays.
var (
	// ErrExpired: nobody let it in before its token expired.
	ErrExpired = errors.New("rooms: the player was not let in in time")
	// ErrReturned: the room there has ended, or its seat was free again.
	ErrReturned = errors.New("rooms: the room there did not keep the seat")
	// ErrLost: the process there let it in and has gone since, with what it carried.
	ErrLost = errors.New("rooms: the process that let the player in is gone, with what it carried")
)

// Away is a player on its way. It belongs to the goroutine of the room of before.
type Away struct {
	Player uint64
	Client uint32
	Note   Note
	Until  time.Time // the end of its token
	// Cargo is what it carries, and Way where it goes: the room knows.
	Cargo, Way any

	sent    bool
	looking bool
	next    time.Time
}

// House is the room of before.
type House interface {
	// Tell runs f between two ticks, on the room's goroutine.
	Tell(f func())
	// Reserve gets a seat there, off the room's goroutine: it sets Way and Until.
	Reserve(ctx context.Context, a *Away) error
	// Send tells the client where to go; it reports false where that has to wait.
	Send(a *Away) bool
	// Gone is told of a player that plays there: its seat is free.
	Gone(a *Away)
	// Stays is told of a player that does not go, and why. What it carried is the room's again, unless that is ErrLost.
	Stays(a *Away, why error)
}

// List is the players of a room that are on their way elsewhere.
type List struct {
	desk  *Desk
	house House
	away  []*Away
}

// NewList makes a list of nobody.
func NewList(d *Desk, h House) *List { return &List{desk: d, house: h} }

// Of is a player on its way, nil where it is not.
func (l *List) Of(player uint64) *Away {
	for _, a := range l.away {
		if a.Player == player {
			return a
		}
	}
	return nil
}

// Depart sends somebody away.
func (l *List) Depart(a *Away) {
	l.away, a.looking = append(l.away, a), true
	l.desk.Errands.Do(func(ctx context.Context) {
		err := a.Note.Begin(ctx)
		if err == nil {
			if err = l.house.Reserve(ctx, a); err != nil {
				a.Note.Forget(ctx) // nobody has heard of it
			}
		}
		l.house.Tell(func() {
			if err != nil {
				l.stay(a, err)
				return
			}
			a.sent, a.looking = l.house.Send(a), false
		})
	})
}

// Turn looks after all of them.
func (l *List) Turn(now time.Time) {
	for _, a := range slices.Clone(l.away) {
		if a.looking || now.Before(a.next) {
			continue
		}
		if !a.sent && now.Before(a.Until) {
			a.sent = l.house.Send(a)
		}
		l.look(a, now)
	}
}

// look reads the note, and does what follows.
func (l *List) look(a *Away, now time.Time) {
	a.looking = true
	a.next = now.Add(lookEvery)
	l.desk.do(a.Note, func(ctx context.Context) {
		s, err := a.Note.Read(ctx)
		why := error(ErrReturned)
		if err == nil && (s == Back || s == Open && !now.Before(a.Until.Add(late))) {
			if s == Open {
				why = ErrExpired
			}
			s, err = a.Note.Move(ctx, Taken, Open, Back)
		}
		l.house.Tell(func() {
			switch a.looking = false; {
			case err != nil:
			case s == Entered:
				l.end(a)
				l.house.Gone(a)
				l.desk.do(a.Note, a.Note.Forget)
			case s == Taken:
				l.stay(a, why)
				l.desk.do(a.Note, a.Note.Forget)
			case (s == Let || s == None) && !now.Before(a.Until.Add(late+lost)):
				l.stay(a, ErrLost)
			}
		})
	})
}

// End leaves all of them to the desk: the room has ended, and nobody is told any more what became of them.
func (l *List) End() {
	for _, a := range l.away {
		l.desk.clear(a.Note)
	}
	l.away = nil
}

// end forgets somebody.
func (l *List) end(a *Away) { l.away = slices.DeleteFunc(l.away, func(x *Away) bool { return x == a }) }

func (l *List) stay(a *Away, why error) {
	l.end(a)
	l.house.Stays(a, why)
}
