package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

const (
	// calm is the time without faults at the beginning.
	calm = 2 * time.Second
	// restart is the time after which a killed process is started again, under its name.
	restart = 2 * time.Second
	// answering is the allowed delay, after the lease of a dead process, until its seats are available again: leases are
	// checked every 250 ms, players ask equally often, and a request to the dead process must time out first.
	answering = 2 * time.Second
)

// strike is a fault of one process.
type strike struct {
	at    time.Duration
	who   int
	pause time.Duration // 0: kill the process
}

// schedule returns the faults for a seed. Pauses are alternately shorter and longer than a lease. A process that is down
// gets no further fault, and one process gets none at all.
func schedule(o options) (all []strike) {
	r := rand.New(rand.NewPCG(o.seed, 1))
	n := o.kills + o.pauses
	kinds := make([]time.Duration, n)
	for i := range o.pauses {
		kinds[i] = 500*time.Millisecond + time.Duration(r.IntN(2000))*time.Millisecond
		if i%2 == 0 {
			kinds[i] = fleet.ProcessLease + time.Second + time.Duration(r.IntN(3000))*time.Millisecond
		}
	}
	r.Shuffle(n, func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	span := time.Duration(o.Seconds)*time.Second - calm - fleet.ProcessLease
	down := make([]time.Duration, o.processes) // end of the process's latest fault
	for i, pause := range kinds {
		at := calm + span*time.Duration(i)/time.Duration(n) + time.Duration(r.Int64N(int64(span)/int64(2*n)+1))
		var up []int
		for who, until := range down {
			if until <= at {
				up = append(up, who)
			}
		}
		if len(up) < 2 {
			continue
		}
		who := up[r.IntN(len(up))]
		down[who] = at + max(pause, restart) + time.Second
		all = append(all, strike{at, who, pause})
	}
	return all
}

// trial is the result of a schedule.
type trial struct {
	*crowd.Storm
	Processes int `json:"processes"`
	Kills     int `json:"kills"`
	Pauses    int `json:"pauses"`
	// From the processes' logs of their beliefs:
	Twice   int     `json:"rooms_owned_twice"`
	Lost    int     `json:"seats_lost_longer_than_lease"`
	Longest float64 `json:"longest_seat_lost_s"`
	Beliefs int     `json:"beliefs"`
}

// storm injects faults while players play.
func storm(o options, f *family, log io.Writer) (*trial, error) {
	var doors []string
	for _, p := range f.all {
		doors = append(doors, p.Door)
	}
	asker := crowd.NewAsker(doors...)
	defer asker.Close()
	t := &trial{Processes: o.processes}
	var err error
	t.Storm, err = crowd.PlayOn(o.Options, asker, func(ctx context.Context) error { return t.strike(ctx, o, f, asker, log) })
	if err != nil {
		return nil, err
	}
	end := time.Now()
	all, err := read(f.logs)
	if err != nil {
		return nil, err
	}
	t.Beliefs, t.Twice = len(all), len(ownedTwice(all))
	for _, d := range seatsLost(all, uint64(o.Rooms*o.Players), end) {
		t.Longest = max(t.Longest, d.Seconds())
		if d > fleet.ProcessLease+answering {
			t.Lost++
		}
	}
	return t, nil
}

// strike runs the schedule.
func (t *trial) strike(ctx context.Context, o options, f *family, asker *crowd.Asker, log io.Writer) error {
	began := time.Now()
	type later struct {
		at time.Duration
		do func() error
	}
	var todo []later
	for _, s := range schedule(o) {
		todo = append(todo, later{s.at, func() error {
			p := f.all[s.who]
			fmt.Fprintf(log, "%6.2f s: %s %s\n", time.Since(began).Seconds(), p.Name, map[bool]string{true: "is killed", false: fmt.Sprint("is paused for ", s.pause)}[s.pause == 0])
			if s.pause == 0 {
				t.Kills++
				return p.Kill()
			}
			t.Pauses++
			return p.Pause()
		}})
		todo = append(todo, later{s.at + max(s.pause, restart), func() error {
			if s.pause != 0 {
				return f.all[s.who].Resume()
			}
			err := f.start(s.who)
			if err == nil {
				asker.Move(s.who, f.all[s.who].Door)
			}
			return err
		}})
	}
	slices.SortStableFunc(todo, func(a, b later) int { return int(a.at - b.at) })
	for _, x := range todo {
		wait := time.NewTimer(time.Until(began.Add(x.at)))
		select {
		case <-ctx.Done():
			wait.Stop()
		case <-wait.C:
		}
		if err := x.do(); err != nil { // every fault that began must end
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// MarshalJSON flattens the result into one object.
func (t *trial) MarshalJSON() ([]byte, error) {
	type plain trial // without this method
	return json.Marshal((*plain)(t))
}
