package crowd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// lostTime is after how long without a word a player takes the process for gone.
	lostTime = 2 * time.Second
	// askTime is how long a player waits at a door before it tries another one.
	askTime = 900 * time.Millisecond
	// retryTime is between two tries to get a seat back.
	retryTime = 250 * time.Millisecond
)

// Storm is what came of playing on while processes came and went.
type Storm struct {
	Asking
	Residents int     `json:"residents"`
	Lost      int     `json:"sessions_lost"`     // of residents, each as often as it lost one
	Back      int     `json:"seats_had_again"`   // after that
	Away      int     `json:"residents_away"`    // who had no seat at the end
	Longest   float64 `json:"longest_away_s"`    // from the last word of the old process until they were in again
	Elsewhere int     `json:"rooms_had_instead"` // their room was gone for good, and they took a seat in another one
}

// storm is a storm at work.
type storm struct {
	Storm
	tally  *Tally
	guests *Guests

	mu   sync.Mutex
	away map[uint64]time.Time // residents without a seat, since when
	wait sync.WaitGroup
}

// PlayOn seats residents, and lets them and visitors play while something happens to the processes: who loses a seat asks
// for it again and again, at one door after the other, and for another one where the room is gone.
func PlayOn(o Options, asker *Asker, meanwhile func(ctx context.Context) error) (*Storm, error) {
	asker.http.Timeout = askTime
	guests := NewGuests()
	guests.timeout = lostTime
	s := &storm{tally: NewTally(asker, &Ledger{}, guests), guests: guests, away: make(map[uint64]time.Time)}
	holds, err := s.tally.Seat(o)
	if err != nil {
		return nil, fmt.Errorf("seats of residents: %w; %v", err, s.tally.Refused)
	}
	s.Residents = len(holds)
	for _, h := range holds {
		guests.Come(h, 0)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Duration(o.Seconds)*time.Second)
	defer stop()
	guests.Ended = func(h *Hold, _ error) { s.ended(ctx, h) }
	guests.Arrived = func(h *Hold, now time.Time) { s.arrived(h, now) }
	var happened error
	s.wait.Go(func() {
		happened = meanwhile(ctx)
		if happened != nil {
			stop()
		}
	})
	if o.Joins > 0 {
		s.wait.Go(func() {
			known := slices.Compact(roomsOf(o, holds))
			s.tally.Contest(ctx, o.Joins, known, 3) // others make rooms as they need them
		})
	}
	p := &party{residents: newResidents(nil), guests: guests}
	err = p.step(func(time.Time) bool { return ctx.Err() != nil })
	done := make(chan struct{})
	go func() { defer close(done); s.wait.Wait() }()
	err = errors.Join(err, p.step(func(time.Time) bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}))
	s.Away = len(s.away)
	if err = errors.Join(err, happened, guests.Close(time.Now())); err != nil {
		return nil, err
	}
	s.Asking = s.tally.asking(o.Capacity())
	return &s.Storm, nil
}

// ended is told of a session that ended.
func (s *storm) ended(ctx context.Context, h *Hold) {
	if h.Player >= visitors {
		return
	}
	s.mu.Lock()
	if _, already := s.away[h.Player]; !already { // else it was on its way back
		s.away[h.Player] = h.Until
		s.Lost++
	}
	s.mu.Unlock()
	s.wait.Go(func() { s.again(ctx, h) })
}

// arrived is told of a session that has begun.
func (s *storm) arrived(h *Hold, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since, was := s.away[h.Player]; was {
		delete(s.away, h.Player)
		s.Back++
		s.Longest = max(s.Longest, now.Sub(since).Seconds())
	}
}

// again asks for a seat until there is one.
func (s *storm) again(ctx context.Context, old *Hold) {
	a := s.tally.asker
	for door := int(old.Player); ctx.Err() == nil; door++ {
		x, err := a.Reconnect(ctx, door, old.Player, old.Seat.Room)
		if err == nil && slices.Contains([]string{"no_room", "no_seat", "ended"}, x.Refused) {
			if x, err = a.Enter(ctx, door, old.Player, old.Seat.Room); err == nil && slices.Contains([]string{"no_room", "ended", "full"}, x.Refused) {
				x, err = a.Join(ctx, door, old.Player)
			}
		}
		if err == nil && x.Given != nil {
			if x.Given.Seat.Room != old.Seat.Room {
				s.mu.Lock()
				s.Elsewhere++
				s.mu.Unlock()
			}
			s.guests.Come(s.tally.ledger.Give(*x.Given, x.At), 0)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryTime):
		}
	}
}
