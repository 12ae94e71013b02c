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
	// lostTime is the silence after which a player considers the process dead.
	lostTime = 2 * time.Second
	// askTime is the timeout of a request before a player tries another address.
	askTime = 900 * time.Millisecond
	// retryTime is the interval at which a player requests its seat again.
	retryTime = 250 * time.Millisecond
)

// Storm is the result of playing while processes come and go.
type Storm struct {
	Asking
	Residents int     `json:"residents"`
	Lost      int     `json:"sessions_lost"`     // each resident counts as often as it lost a session
	Back      int     `json:"seats_had_again"`   // regained seats
	Away      int     `json:"residents_away"`    // residents without a seat at the end
	Longest   float64 `json:"longest_away_s"`    // from the last packet of the old process until the player was connected again
	Elsewhere int     `json:"rooms_had_instead"` // residents who took a seat in another room because theirs no longer existed
}

// storm is the state of a running storm.
type storm struct {
	Storm
	tally  *Tally
	guests *Guests

	mu   sync.Mutex
	away map[uint64]time.Time // residents without a seat, and since when
	wait sync.WaitGroup
}

// PlayOn seats residents and runs visitors while meanwhile causes faults. A resident who loses a seat requests it again at
// one address after another, and takes another room if its own no longer exists.
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
			s.tally.Contest(ctx, o.Joins, known, 3) // the other visitors create rooms as needed
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

// ended handles the end of a session.
func (s *storm) ended(ctx context.Context, h *Hold) {
	if h.Player >= visitors {
		return
	}
	s.mu.Lock()
	if _, already := s.away[h.Player]; !already { // otherwise it was already reconnecting
		s.away[h.Player] = h.Until
		s.Lost++
	}
	s.mu.Unlock()
	s.wait.Go(func() { s.reconnect(ctx, h) })
}

// arrived handles the start of a session.
func (s *storm) arrived(h *Hold, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since, was := s.away[h.Player]; was {
		delete(s.away, h.Player)
		s.Back++
		s.Longest = max(s.Longest, now.Sub(since).Seconds())
	}
}

// reconnect requests a seat until the player gets one.
func (s *storm) reconnect(ctx context.Context, old *Hold) {
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
