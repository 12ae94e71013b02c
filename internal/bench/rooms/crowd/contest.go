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
	// soon is the longest acceptable time of an answer.
	soon = time.Second
	// visitors is the first player id of visitors, who compete for free seats. The ids of residents are lower.
	visitors = 1 << 32
)

// Tally counts the results of seat requests.
type Tally struct {
	Asked    int
	Refused  map[string]int // by code
	Late     int            // answered after more than a second, or never
	Failed   int            // never answered
	Again    int            // repeated at another address, because one did not answer
	Err      error          // of the latest request without an answer
	Took     []time.Duration
	mu       sync.Mutex
	ledger   *Ledger
	given    int
	asker    *Asker
	visiting *Guests
}

// NewTally returns a Tally that records assigned seats in the ledger.
func NewTally(a *Asker, l *Ledger, g *Guests) *Tally {
	return &Tally{Refused: make(map[string]int), ledger: l, asker: a, visiting: g}
}

// Ask tries one address after another until one answers, and counts the result. due is the time at which the player wanted
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

// Contest sends rate requests per second until ctx ends, without waiting for earlier answers. in of four requests name a
// known room; the others accept any room. A visitor with a seat connects, stays for up to a second and leaves; one in fifty
// never connects. Contest returns after the last answer.
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

// visit is one visitor.
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

// Seat requests seats for the residents, several at once, and returns the assigned seats.
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

// quantile returns the duration below which the given share of the answers took.
func (t *Tally) quantile(q float64) time.Duration {
	if len(t.Took) == 0 {
		return 0
	}
	slices.SortFunc(t.Took, cmp.Compare[time.Duration])
	return t.Took[min(int(q*float64(len(t.Took))), len(t.Took)-1)]
}
