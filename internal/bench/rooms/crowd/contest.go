package crowd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// soon is how long an answer may take.
	soon = time.Second
	// visitors are the numbers of players who contest seats, above those of all residents.
	visitors = 1 << 32
)

// Tally is what came of asking for seats.
type Tally struct {
	Asked    int
	Refused  map[string]int // by code
	Late     int            // answered after a second, or not at all
	Failed   int            // not answered
	Again    int            // asked at another door, because one did not answer
	Err      error          // why the last one was not answered
	Took     []time.Duration
	mu       sync.Mutex
	ledger   *Ledger
	given    int
	asker    *Asker
	visiting *Guests
}

// NewTally makes one; who is given a seat is written down in the ledger.
func NewTally(a *Asker, l *Ledger, g *Guests) *Tally {
	return &Tally{Refused: make(map[string]int), ledger: l, asker: a, visiting: g}
}

// Ask asks at one door after another until there is an answer, and writes down what it was. due is when the player wanted
// to ask.
func (t *Tally) Ask(door int, due time.Time, ask func(door int) (Answer, error)) (*Hold, error) {
	x, err := ask(door)
	again := 0
	for ; err != nil && again+1 < t.asker.count() && time.Since(due) < answerTime; again++ {
		x, err = ask(door + again + 1)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Asked++
	t.Again += again
	took := time.Since(due)
	t.Took = append(t.Took, took)
	if err != nil || took > soon {
		t.Late++
	}
	switch {
	case err != nil:
		t.Failed++
		t.Err = err
		return nil, err
	case x.Given == nil:
		t.Refused[x.Refused]++
		return nil, nil
	}
	t.given++
	return t.ledger.Give(*x.Given, x.At), nil
}

// Contest lets so many players a second ask for seats, whether those before have their answers or not, until ctx ends: of
// four so many in a room that it has heard of, the others anywhere. Who is given a seat comes, stays for up to a second and
// leaves; one in fifty never comes. It returns when the last has an answer.
func (t *Tally) Contest(ctx context.Context, rate int, known []rooms.ID, in int) {
	var all sync.WaitGroup
	defer all.Wait()
	began := time.Now()
	for n := 0; ctx.Err() == nil; {
		now := time.Now()
		for ; ; n++ {
			due := began.Add(time.Duration(n) * time.Second / time.Duration(rate))
			if due.After(now) {
				time.Sleep(min(due.Sub(now), 5*time.Millisecond))
				break
			}
			number := n
			all.Go(func() { t.visit(number, due, known, in) })
		}
	}
}

// visit is one who contests a seat.
func (t *Tally) visit(n int, due time.Time, known []rooms.ID, in int) {
	ctx, player := context.Background(), uint64(visitors+n)
	hold, err := t.Ask(n, due, func(door int) (Answer, error) {
		if n%4 < in {
			return t.asker.Enter(ctx, door, player, known[n*7%len(known)])
		}
		return t.asker.Join(ctx, door, player)
	})
	if err == nil && hold != nil && n%50 != 7 {
		t.visiting.Come(hold, 200*time.Millisecond+time.Duration(n%17)*50*time.Millisecond)
	}
}

// Seat asks for seats for residents: rooms of players each, by so many at once. It returns whom it has seats for.
func (t *Tally) Seat(o Options) ([]*Hold, error) {
	ctx := context.Background()
	holds := make([]*Hold, o.Rooms*o.Players)
	some := func(from, step int, ask func(n, door int) (Answer, error)) error {
		var all sync.WaitGroup
		errs := make([]error, 8)
		for w := range errs {
			all.Go(func() {
				for n := from + w*step; n < len(holds) && errs[w] == nil; n += len(errs) * step {
					holds[n], errs[w] = t.Ask(n/o.Players, time.Now(), func(door int) (Answer, error) { return ask(n, door) })
					if holds[n] == nil && errs[w] == nil {
						errs[w] = errors.New("a resident was refused a seat")
					}
				}
			})
		}
		all.Wait()
		return errors.Join(errs...)
	}
	err := some(0, o.Players, func(n, door int) (Answer, error) { return t.asker.Create(ctx, door, uint64(n)+1) })
	for k := 1; k < o.Players && err == nil; k++ {
		err = some(k, o.Players, func(n, door int) (Answer, error) {
			return t.asker.Enter(ctx, door, uint64(n)+1, holds[n-k].Seat.Room)
		})
	}
	return holds, err
}

// quantile is the duration below which that share of all took.
func (t *Tally) quantile(q float64) time.Duration {
	if len(t.Took) == 0 {
		return 0
	}
	slices.SortFunc(t.Took, cmp.Compare[time.Duration])
	return t.Took[min(int(q*float64(len(t.Took))), len(t.Took)-1)]
}
