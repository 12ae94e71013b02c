package crowd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultWarmup = 3 * time.Second
	// settleTime is the timeout for connecting all residents.
	settleTime = time.Minute
	// quantum is the step interval of the load.
	quantum = time.Millisecond
)

// Play seats residents in all rooms of the processes, lets them play while visitors compete for seats, and measures.
func Play(o Options, processes []*Process) (*Report, error) {
	var doors []string
	for _, p := range processes {
		doors = append(doors, p.Door)
	}
	base, err := sum(processes, "weigh")
	if err != nil {
		return nil, err
	}
	asker := NewAsker(doors...)
	defer asker.Close()
	guests := NewGuests()
	ledger := &Ledger{}
	tally := NewTally(asker, ledger, guests)
	holds, err := tally.Seat(o)
	if err != nil {
		return nil, fmt.Errorf("seats of residents: %w; %v", err, tally.Refused)
	}
	known := roomsOf(o, holds)
	residents := newResidents(holds)
	p := &party{residents: residents, guests: guests}
	from, heavy, err := p.measure(o, processes, func(ctx context.Context) {
		if o.Joins > 0 {
			tally.Contest(ctx, o.Joins, known, 1)
		}
	})
	if err = errors.Join(err, residents.Close(time.Now()), guests.Close(time.Now())); err != nil {
		return nil, err
	}
	seconds := p.after.At.Sub(from.At).Seconds()
	ticks, cpu := float64(p.after.Ticks-from.Ticks), p.after.CPU-from.CPU
	r := &Report{
		TicksPct: 100 * ticks / (float64(o.Rooms*o.Hz) * seconds), Updates: p.heard.updates, CPU: cpu / seconds, RoomTick: 1e6 * cpu / ticks,
		KiB: float64(heavy.Heap-min(base.Heap, heavy.Heap)) / 1024 / float64(o.Rooms), Processes: len(processes), RoomsMost: p.after.most, LateMS: p.after.Late,
		Connected: p.heard.connected, Gone: residents.Turned + residents.Lost, LoadBusy: p.heard.busy, Limit: p.heard.limit,
	}
	r.LostOthers, r.Told = p.after.Lost, p.after.Told
	if o.Troubles != "" {
		r.KiB = 0 // visitors' memory cannot be separated
	}
	r.Asking = tally.asking(o.Capacity())
	return r, nil
}

// roomsOf returns the rooms of the residents.
func roomsOf(o Options, holds []*Hold) (all []rooms.ID) {
	for n := 0; n < len(holds); n += o.Players {
		all = append(all, holds[n].Seat.Room)
	}
	return all
}

// asking returns the summary for rooms with the given capacity.
func (t *Tally) asking(capacity int) (a Asking) {
	a = Asking{Joins: t.Asked, Late: t.Late, Failed: t.Failed, Given: t.given, Refusals: t.Refused, Entered: t.visiting.Entered, Turned: t.visiting.Turned}
	for _, n := range t.Refused {
		a.Refused += n
	}
	ms := func(q float64) float64 { return float64(t.quantile(q)) / 1e6 }
	a.JoinP50, a.JoinP99, a.JoinMS = ms(0.5), ms(0.99), ms(1)
	a.Doubled, a.Over = t.ledger.Count(capacity)
	return a
}

// party is the set of players.
type party struct {
	residents *Guests
	guests    *Guests
	heard     heard
	after     total
}

// step steps the players until the condition holds.
func (p *party) step(until func(now time.Time) bool) error {
	for due := time.Now(); ; {
		now := time.Now()
		if d := due.Sub(now); d > 0 {
			time.Sleep(d)
			continue
		}
		if err := errors.Join(p.residents.Step(now), p.guests.Step(now)); err != nil {
			return err
		}
		if until(now) {
			return nil
		}
		if due = due.Add(quantum); due.Before(now) {
			due = now
		}
	}
}

// measure lets the players play while meanwhile runs.
func (p *party) measure(o Options, processes []*Process, meanwhile func(ctx context.Context)) (from, heavy total, err error) {
	limit := time.Now().Add(settleTime)
	if err := p.step(func(now time.Time) bool { return p.residents.settled() || now.After(limit) }); err != nil {
		return from, heavy, err
	}
	warm := time.Now().Add(cmp.Or(o.Warmup, defaultWarmup))
	if err := p.step(func(now time.Time) bool { return now.After(warm) }); err != nil {
		return from, heavy, err
	}
	p.residents.measure(time.Now())
	if from, err = sum(processes, "mark"); err != nil {
		return from, heavy, err
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Duration(o.Seconds)*time.Second)
	defer stop()
	done := make(chan struct{})
	go func() { defer close(done); meanwhile(ctx) }()
	if err := p.step(func(time.Time) bool { return ctx.Err() != nil }); err != nil {
		return from, heavy, err
	}
	p.heard = p.residents.report(time.Now())
	if p.after, err = sum(processes, "mark"); err != nil {
		return from, heavy, err
	}
	limit = time.Now().Add(answerTime) // time for the last answers
	err = p.step(func(now time.Time) bool {
		select {
		case <-done:
			return p.guests.Here() == 0 || now.After(limit)
		default:
			return now.After(limit.Add(answerTime))
		}
	})
	<-done
	if err == nil {
		heavy, err = sum(processes, "weigh")
	}
	return from, heavy, err
}

// total is the sum of all processes' states.
type total struct {
	State
	most int // rooms of the fullest process
}

// sum asks all processes.
func sum(processes []*Process, what string) (t total, err error) {
	for _, p := range processes {
		var s State
		if err := p.Ask(what, &s); err != nil {
			return t, err
		}
		t.At = s.At
		t.Rooms, t.Ticks, t.CPU, t.Heap = t.Rooms+s.Rooms, t.Ticks+s.Ticks, t.CPU+s.CPU, t.Heap+s.Heap
		t.Lost += s.Lost
		if s.Told != nil {
			t.Told = s.Told
		}
		t.Late, t.most = max(t.Late, s.Late), max(t.most, s.Rooms)
	}
	return t, nil
}
