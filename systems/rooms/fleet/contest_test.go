package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet/internal/faulty"
)

// contender is a party that wants seats.
type contender struct {
	who  []rooms.Player
	at   time.Time
	from int // which process it asks
	anew bool
	call *call
}

// ask begins to ask.
func (c *contender) ask(f *testbed) {
	l := f.members[c.from].fleet
	c.call = f.start(func(ctx context.Context) ([]rooms.Admission, error) {
		if c.anew {
			return l.Create(ctx, "field", rooms.Creation{}, c.who...)
		}
		return l.Join(ctx, rooms.Wish{Kind: "field", Players: c.who})
	})
}

// More players than seats ask four processes at once, three of which have rooms. Some processes pause, and the directory
// refuses, loses or delays some writes. According to the players' tokens, no room has more players than seats, no seat is
// given twice, no party is split, and every request is answered. If no process paused, a further request finds all seats
// taken.
func TestContest(t *testing.T) {
	seeds := 12
	if n, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("again: go -C systems/rooms/fleet test . -run 'TestContest/seed=%d$'", seed)
				}
			}()
			contest(t, rand.New(rand.NewPCG(uint64(seed), 1)), uint64(seed))
		})
	}
}

func contest(t *testing.T, rng *rand.Rand, seed uint64) {
	f := newTestbed(t, seed)
	faults := faulty.New(f.store.Directory, func() time.Time { return f.now }, seed, faulty.Odds{})
	f.store.Directory = faults.View()
	capacity, most, alone, steady := 2+rng.IntN(4), 1+rng.IntN(3), seed%2 == 0, seed%4 < 2
	for _, name := range []string{"a", "b", "c"} {
		c := fields(capacity)
		c.MaxRooms = most
		f.add(name, c)
	}
	f.door()
	f.run(2 * time.Second)
	if seed%4 == 3 {
		faults.Set(faulty.Odds{Refused: 0.05, Lost: 0.05, Late: 0.05, By: time.Second})
	}
	begun := f.now
	places, players := 3*most*capacity, uint64(0)
	var all []*contender
	for players < uint64(places*3/2) {
		n := 1
		if !alone {
			n += rng.IntN(min(3, capacity))
		}
		c := &contender{who: party(players+1, n), at: begun.Add(time.Duration(rng.IntN(1500)) * time.Millisecond), from: rng.IntN(len(f.members)), anew: rng.IntN(10) == 0}
		players += uint64(n)
		all = append(all, c)
	}
	stops := begun.Add(time.Duration(rng.IntN(1500)) * time.Millisecond)
	stopped := f.members[rng.IntN(3)]
	for f.now.Before(begun.Add(5 * time.Second)) {
		for _, c := range all {
			if c.call == nil && !f.now.Before(c.at) && !f.members[c.from].stopped {
				c.ask(f)
			}
		}
		stopped.stopped = !steady && f.now.After(stops) && f.now.Before(stops.Add(700*time.Millisecond))
		f.run(step)
	}
	given := make(map[rooms.ID]map[uint16]uint64)
	total := 0
	count := func(again bool) {
		for _, c := range all {
			if c.call == nil {
				t.Fatalf("%v, who asked process %d, have no answer", c.who, c.from)
			}
			if err := c.call.err; err != nil {
				if !errors.Is(err, rooms.ErrRooms) && !errors.Is(err, rooms.ErrUnavailable) {
					t.Errorf("%v: %v", c.who, err)
				}
				continue
			}
			if again && c.who == nil {
				continue
			}
			for i, a := range c.call.all {
				s := a.Seat
				if s.Player != c.who[i].ID || s.Room != c.call.all[0].Seat.Room || int(s.Number) >= capacity {
					t.Errorf("%v got %+v", c.who, s)
				}
				if given[s.Room] == nil {
					given[s.Room] = make(map[uint16]uint64)
				}
				if other, twice := given[s.Room][s.Number]; twice {
					t.Errorf("seat %d of room %v was given to %d and to %d", s.Number, s.Room, other, s.Player)
				}
				given[s.Room][s.Number] = s.Player
				total++
			}
			c.who = nil // counted
		}
	}
	count(false)
	for _, c := range all {
		if c.who != nil {
			c.anew = false
			c.ask(f)
			f.run(3 * step)
		}
	}
	f.run(3500 * time.Millisecond)
	count(true)
	if f.now.Sub(begun) > 14*time.Second {
		t.Fatalf("promises are over after %v: seats may be given again", f.now.Sub(begun))
	}
	for room, seats := range given {
		if len(seats) > capacity {
			t.Errorf("room %v of %d has %d players", room, capacity, len(seats))
		}
	}
	if len(given) > 3*most {
		t.Errorf("%d rooms in three processes with %d at most", len(given), most)
	}
	if steady && alone && total != places {
		t.Errorf("%d of %d places were given", total, places)
	}
}
