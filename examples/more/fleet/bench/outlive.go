package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// guestTimeout is the silence after which a guest considers its process dead.
	guestTimeout = 2 * time.Second
	// askInterval is how often a guest without a session asks for its seat.
	askInterval = 250 * time.Millisecond
	// crashInterval is the average time between two kills.
	crashInterval = 4 * time.Second
	// recoverTimeout is the longest time until all guests play.
	recoverTimeout = 2 * time.Minute
)

// guest is a player of a room that is to outlive its process. Its counter rises by one in each tick. The fields are used with the
// lock of outlive.
type guest struct {
	id     uint64
	number uint16 // seat
	client uint32 // number of its client in the first session

	asked   time.Time // when it asked for the seat of this session
	plays   time.Time // since when it plays; zero: it has no session
	heard   time.Time // when the newest tick came
	tick    uint32    // the newest one
	last    uint32    // the newest tick before the process was killed
	gap     time.Duration
	changed int // sessions with another seat or client number
	lost    int // answers that there is no such seat or room
	ended   int // sessions that were lost
}

// lively is a room with its guests.
type lively struct {
	id        rooms.ID
	durable   bool // Room.Durable is called
	guests    []*guest
	host      string           // its process
	confirmed map[uint64]int32 // counters that Durable has confirmed, by player
	down      *crash           // nil: it is up
}

// crash is a kill and its consequences. Times are the longest of its rooms.
type crash struct {
	Number  int     `json:"number"`
	Process string  `json:"process"`
	Rooms   int     `json:"rooms"`
	Players int     `json:"players"`
	Claim   float64 `json:"claim_s"`      // from the kill to the request that claims the room
	Back    float64 `json:"back_s"`       // from that request until a player plays
	All     float64 `json:"all_back_s"`   // likewise, all players
	Ticks   uint32  `json:"ticks_lost"`   // of the world
	Lost    float64 `json:"lost_s"`       // the same in seconds
	Bound   float64 `json:"lost_bound_s"` // the interval, the longest write so far, and a tick
	Resumed int     `json:"players_resumed"`
	Worlds  int     `json:"worlds_lost"`  // rooms without their world
	Durable int     `json:"durable_lost"` // counters below what Durable had confirmed

	at   time.Time
	open int // rooms that are not back
}

// outlive plays in rooms that are saved.
type outlive struct {
	o     options
	f     *family
	asker *crowd.Asker
	log   io.Writer
	rooms []*lively
	wait  sync.WaitGroup

	mu       sync.Mutex
	doors    []string
	confirms int           // calls of Durable that returned
	write    time.Duration // the longest one of a save
}

// newOutlive seats guests, who play until ctx ends.
func newOutlive(ctx context.Context, o options, f *family, log io.Writer) (*outlive, error) {
	x := &outlive{o: o, f: f, log: log}
	for _, p := range f.all {
		x.doors = append(x.doors, p.Door)
	}
	x.asker = crowd.NewAsker(x.doors...)
	for n := range o.Rooms {
		r := &lively{durable: n%2 == 0, confirmed: make(map[uint64]int32)}
		x.rooms = append(x.rooms, r)
		for i := range o.Players {
			id, asked := uint64(n*o.Players+i+1), time.Now()
			ask := func() (crowd.Answer, error) { return x.asker.Create(ctx, n, id) }
			if i > 0 {
				ask = func() (crowd.Answer, error) { return x.asker.Enter(ctx, n, id, r.id) }
			}
			a, err := ask()
			for ; err == nil && a.Given == nil && time.Since(asked) < recoverTimeout; a, err = ask() {
				time.Sleep(askInterval)
			}
			if err != nil || a.Given == nil {
				return nil, fmt.Errorf("a seat for player %d: %q, %w", id, a.Refused, err)
			}
			g := &guest{id: id, number: a.Given.Seat.Number, asked: asked}
			r.id, r.guests = a.Given.Seat.Room, append(r.guests, g)
			x.wait.Go(func() { x.play(ctx, r, g, a.Given) })
		}
	}
	err := x.until(func() bool {
		return !slices.ContainsFunc(x.rooms, func(r *lively) bool { return !r.plays(time.Time{}) })
	})
	for _, r := range x.rooms {
		var s look
		if err == nil {
			s, err = x.look(ctx, r, false)
		}
		r.host = s.Process
	}
	return x, err
}

// until waits until something holds, with the lock.
func (x *outlive) until(holds func() bool) error {
	for limit := time.Now().Add(recoverTimeout); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		x.mu.Lock()
		is := holds()
		x.mu.Unlock()
		if is {
			return nil
		}
	}
	return fmt.Errorf("not all players play after %v", recoverTimeout)
}

// plays reports whether all guests of the room play, with seats that they asked for after some time.
func (r *lively) plays(since time.Time) bool {
	return !slices.ContainsFunc(r.guests, func(g *guest) bool { return g.plays.IsZero() || !g.asked.After(since) })
}

// play is the life of a guest.
func (x *outlive) play(ctx context.Context, r *lively, g *guest, given *crowd.Given) {
	for n := int(g.id); ctx.Err() == nil; n++ {
		x.mu.Lock()
		g.changed += min(int(given.Seat.Number^g.number), 1)
		x.mu.Unlock()
		c, err := systems.Dial(ctx, "", counting(), systems.ClientConfig{
			Session: systems.ClientSession{Token: given.Token, Timeout: guestTimeout},
			Gather:  systems.Gather(func(_ *systems.Client, in *press) { in.On = 1 }),
		})
		if err == nil {
			_ = c.Run(ctx, func(c *systems.Client) { x.hear(g, c) })
		}
		x.mu.Lock()
		if !g.plays.IsZero() && ctx.Err() == nil {
			g.ended++
		}
		g.plays, g.last, g.tick = time.Time{}, max(g.last, g.tick), 0
		x.mu.Unlock()
		for given = nil; given == nil && ctx.Err() == nil; n++ {
			asked := time.Now()
			a, err := x.asker.Reconnect(ctx, n, g.id, r.id)
			x.mu.Lock()
			g.asked = asked
			if err == nil && slices.Contains([]string{"no_room", "no_seat", "ended"}, a.Refused) {
				if g.lost++; g.lost < 10 {
					fmt.Fprintf(x.log, "player %d of room %v: %s\n", g.id, r.id, a.Refused)
				}
			}
			x.mu.Unlock()
			if given = a.Given; err != nil || given == nil {
				select {
				case <-ctx.Done():
				case <-time.After(askInterval):
				}
			}
		}
	}
}

// hear records a guest's view after a step.
func (x *outlive) hear(g *guest, c *systems.Client) {
	_, is := c.Own(c.World())
	if !is {
		return
	}
	now, id, tick := time.Now(), c.ID(), c.ServerTick()
	x.mu.Lock()
	defer x.mu.Unlock()
	if g.plays.IsZero() {
		g.plays, g.heard, g.tick = now, now, tick
		switch g.client {
		case 0:
			g.client = id
		case id:
		default:
			g.changed++
		}
	}
	if tick != g.tick {
		g.gap, g.heard, g.tick = max(g.gap, now.Sub(g.heard)), now, tick
	}
}

// look asks all processes about a room. durable makes its process call Room.Durable before it answers.
func (x *outlive) look(ctx context.Context, r *lively, durable bool) (s look, err error) {
	x.mu.Lock()
	doors := slices.Clone(x.doors)
	x.mu.Unlock()
	for _, door := range doors {
		if s, err = askLook(ctx, fmt.Sprintf("%s/look/%v?durable=%t", door, r.id, durable)); err == nil {
			x.mu.Lock()
			x.write = max(x.write, s.Write)
			x.mu.Unlock()
			return s, nil
		}
	}
	return s, err
}

func askLook(ctx context.Context, url string) (s look, err error) {
	ctx, stop := context.WithTimeout(ctx, lookTimeout)
	defer stop()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return s, err
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return s, err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return s, errors.New(a.Status)
	}
	return s, json.NewDecoder(a.Body).Decode(&s)
}

// crashes kills processes at random moments, each time one that has rooms, and starts others.
func (x *outlive) crashes(ctx context.Context) (all []*crash, err error) {
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	for i, r := range x.rooms {
		watch.Go(func() { x.watch(watching, r, rand.New(rand.NewPCG(x.o.seed, uint64(i)+2))) })
	}
	defer watch.Wait()
	defer stop()
	random := rand.New(rand.NewPCG(x.o.seed, 1))
	for len(all) < x.o.crashes {
		time.Sleep(time.Duration(random.Int64N(int64(2 * crashInterval))))
		var victims []int
		if err := x.until(func() bool {
			for n, p := range x.f.all {
				if slices.ContainsFunc(x.rooms, func(r *lively) bool { return r.host == p.Name }) {
					victims = append(victims, n)
				}
			}
			return len(victims) > 0
		}); err != nil {
			return all, err
		}
		n := victims[random.IntN(len(victims))]
		c := &crash{Number: len(all) + 1, Process: x.f.all[n].Name, at: time.Now()}
		all = append(all, c)
		if err := x.f.all[n].Kill(); err != nil {
			return all, err
		}
		x.mu.Lock()
		for _, r := range x.rooms {
			if r.host == c.Process {
				r.host, r.down = "", c
				c.Rooms, c.Players, c.open = c.Rooms+1, c.Players+len(r.guests), c.open+1
			}
		}
		x.mu.Unlock()
		if err := x.replace(n); err != nil {
			return all, err
		}
	}
	return all, x.until(func() bool { return !slices.ContainsFunc(x.rooms, func(r *lively) bool { return r.down != nil }) })
}

// replace starts a process in place of another one, under another name.
func (x *outlive) replace(n int) error {
	if err := x.f.startAs(n, nameOf(len(x.f.logs))); err != nil {
		return err
	}
	x.asker.Move(n, x.f.all[n].Door)
	x.mu.Lock()
	x.doors[n] = x.f.all[n].Door
	x.mu.Unlock()
	return nil
}

// watch calls Durable, and looks whether the room is back.
func (x *outlive) watch(ctx context.Context, r *lively, random *rand.Rand) {
	next := time.Now()
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		x.mu.Lock()
		down, back := r.down, r.down != nil && r.plays(r.down.at)
		x.mu.Unlock()
		switch {
		case back:
			if s, err := x.look(ctx, r, false); err == nil {
				x.returned(r, s)
			}
		case down == nil && r.durable && time.Now().After(next):
			s, err := x.look(ctx, r, true)
			x.mu.Lock()
			if err == nil {
				x.confirms++
				for player, n := range s.Counts {
					r.confirmed[player] = max(r.confirmed[player], n)
				}
			}
			x.mu.Unlock()
			next = time.Now().Add(time.Duration(random.Int64N(int64(3 * time.Second))))
		}
	}
}

// returned records the losses of a room that is back.
func (x *outlive) returned(r *lively, s look) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := r.down
	if !r.plays(c.at) { // killed again
		return
	}
	var claim, first, last time.Time
	var tick uint32
	for _, g := range r.guests {
		if claim.IsZero() || g.asked.Before(claim) {
			claim = g.asked
		}
		if first.IsZero() || g.plays.Before(first) {
			first = g.plays
		}
		if g.plays.After(last) {
			last = g.plays
		}
		tick = max(tick, g.last)
		c.Resumed += max(1-g.changed-g.lost, 0)
		g.last, g.changed, g.lost = 0, 0, 0
		if s.Loaded == 0 || s.Loads[g.id] < r.confirmed[g.id] {
			c.Durable += min(int(r.confirmed[g.id]), 1)
			fmt.Fprintf(x.log, "room %v: player %d has %d, confirmed were %d\n", r.id, g.id, s.Loads[g.id], r.confirmed[g.id])
		}
	}
	if s.Loaded == 0 {
		c.Worlds++
	}
	lost := tick - min(tick, s.Loaded)
	c.Ticks = max(c.Ticks, lost)
	c.Claim, c.Back, c.All = max(c.Claim, claim.Sub(c.at).Seconds()), max(c.Back, first.Sub(claim).Seconds()), max(c.All, last.Sub(claim).Seconds())
	c.Lost = max(c.Lost, float64(lost)/float64(x.o.Hz))
	c.Bound = max(c.Bound, (x.o.save + x.write + time.Second/time.Duration(x.o.Hz)).Seconds())
	r.host, r.down = s.Process, nil
	if c.open--; c.open == 0 {
		fmt.Fprintf(x.log, "kill %d of %s, %d rooms, %d players: claimed after %.1f s, back %.2f s later (all players %.2f s), %d ticks lost (%.2f s), %d resumed, %d worlds and %d durable counters lost\n",
			c.Number, c.Process, c.Rooms, c.Players, c.Claim, c.Back, c.All, c.Ticks, c.Lost, c.Resumed, c.Worlds, c.Durable)
	}
}

// spread is the distribution of a figure.
type spread struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

func spreadOf(all []float64) spread {
	if len(all) == 0 {
		return spread{}
	}
	slices.Sort(all)
	return spread{all[len(all)/2], all[len(all)*95/100], all[len(all)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("median %.2f, p95 %.2f, max %.2f", s.Median, s.P95, s.Max)
}

// crashReport is the result of crashes.
type crashReport struct {
	Kills     int    `json:"kills"`
	Rooms     int    `json:"rooms_killed"`
	Players   int    `json:"players_killed"`
	Claim     spread `json:"claim_s"`
	Back      spread `json:"back_s"`
	All       spread `json:"all_back_s"`
	Ticks     spread `json:"ticks_lost"`
	Lost      spread `json:"lost_s"`
	WriteMS   int64  `json:"longest_write_ms"`
	Over      int    `json:"kills_over_lost_bound"`
	Resumed   int    `json:"players_resumed"`
	Worlds    int    `json:"worlds_lost"`
	Confirmed int    `json:"durable_confirmed"` // calls of Room.Durable
	Durable   int    `json:"durable_lost"`
}

func (x *outlive) crashReport(all []*crash) crashReport {
	r := crashReport{Kills: len(all), Confirmed: x.confirms, WriteMS: x.write.Milliseconds()}
	figure := func(of func(c *crash) float64) spread {
		var list []float64
		for _, c := range all {
			list = append(list, of(c))
		}
		return spreadOf(list)
	}
	r.Claim, r.Back = figure(func(c *crash) float64 { return c.Claim }), figure(func(c *crash) float64 { return c.Back })
	r.All, r.Lost = figure(func(c *crash) float64 { return c.All }), figure(func(c *crash) float64 { return c.Lost })
	r.Ticks = figure(func(c *crash) float64 { return float64(c.Ticks) })
	for _, c := range all {
		r.Rooms, r.Players, r.Resumed = r.Rooms+c.Rooms, r.Players+c.Players, r.Resumed+c.Resumed
		r.Worlds, r.Durable = r.Worlds+c.Worlds, r.Durable+c.Durable
		if c.Lost > c.Bound {
			r.Over++
		}
	}
	return r
}

// deploy is the replacement of a process.
type deploy struct {
	Number  int     `json:"number"`
	Process string  `json:"process"`
	Rooms   int     `json:"rooms"`
	Equal   int     `json:"rooms_with_equal_hash"` // before and after
	Players int     `json:"players"`
	Stall   float64 `json:"longest_stall_s"`       // of its players: without a newer tick
	Others  float64 `json:"longest_stall_other_s"` // of the other players
}

// deployReport is the result of deploys.
type deployReport struct {
	Replaced int    `json:"processes_replaced"`
	Rooms    int    `json:"rooms_moved"`
	Equal    int    `json:"rooms_with_equal_hash"`
	Players  int    `json:"players_moved"`
	Stall    spread `json:"stall_s"`       // the longest one of each player who moved, in each replacement
	Others   spread `json:"stall_other_s"` // likewise, of players who did not
	Ended    int    `json:"sessions_lost"`
}

// deploys replaces one process after the other.
func (x *outlive) deploys() (all []*deploy, r deployReport, err error) {
	var stalls, others []float64
	for i := range x.o.deploys {
		n := i % len(x.f.all)
		old := x.f.all[n]
		if err := x.replace(n); err != nil {
			return all, r, err
		}
		time.Sleep(3 * time.Second) // the new process is in the directory, and has no players
		d := &deploy{Number: i + 1, Process: old.Name}
		all = append(all, d)
		var moves []*lively
		x.mu.Lock()
		for _, room := range x.rooms {
			if room.host == old.Name {
				moves = append(moves, room)
			}
			for _, g := range room.guests {
				g.gap = 0
			}
		}
		x.mu.Unlock()
		var stood map[rooms.ID]world
		if err := errors.Join(old.Ask("drain", &stood), old.Close()); err != nil {
			return all, r, err
		}
		time.Sleep(guestTimeout)
		if err := x.until(func() bool {
			return !slices.ContainsFunc(x.rooms, func(r *lively) bool { return !r.plays(time.Time{}) })
		}); err != nil {
			return all, r, err
		}
		d.Rooms = len(moves)
		for _, room := range x.rooms {
			s, err := x.look(context.Background(), room, false)
			if err != nil {
				return all, r, fmt.Errorf("room %v of %s: %w", room.id, room.host, err)
			}
			x.mu.Lock()
			moved := room.host == old.Name
			room.host = s.Process
			if moved {
				if before := stood[room.id]; before.Tick == s.Loaded && before.Hash == s.Hash {
					d.Equal++
				} else {
					fmt.Fprintf(x.log, "room %v: loaded tick %d with hash %x, stood at tick %d with hash %x\n", room.id, s.Loaded, s.Hash, before.Tick, before.Hash)
				}
			}
			for _, g := range room.guests {
				r.Ended, g.ended = r.Ended+g.ended, 0
				if moved {
					stalls, d.Stall, d.Players = append(stalls, g.gap.Seconds()), max(d.Stall, g.gap.Seconds()), d.Players+1
				} else {
					others, d.Others = append(others, g.gap.Seconds()), max(d.Others, g.gap.Seconds())
				}
			}
			x.mu.Unlock()
		}
		r.Replaced, r.Rooms, r.Equal, r.Players = r.Replaced+1, r.Rooms+d.Rooms, r.Equal+d.Equal, r.Players+d.Players
		fmt.Fprintf(x.log, "%s is replaced: %d rooms (%d with an equal hash), %d players, longest stall %.2f s (other players %.2f s)\n",
			d.Process, d.Rooms, d.Equal, d.Players, d.Stall, d.Others)
	}
	r.Stall, r.Others = spreadOf(stalls), spreadOf(others)
	return all, r, nil
}

// runOutlive runs crashes or deploys.
func runOutlive(o options, f *family, log io.Writer) (r any, err error) {
	ctx, stop := context.WithCancel(context.Background())
	x, err := newOutlive(ctx, o, f, log)
	defer func() {
		stop()
		if x != nil {
			x.wait.Wait()
		}
	}()
	if err != nil {
		return nil, err
	}
	time.Sleep(o.save) // each room has been saved
	if o.deploys > 0 {
		all, sum, err := x.deploys()
		return &summary{sum, all}, err
	}
	all, err := x.crashes(ctx)
	return &summary{x.crashReport(all), all}, err
}

// summary is a report with all events.
type summary struct{ report, events any }

// MarshalJSON implements [json.Marshaler].
func (s *summary) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"summary": s.report, "events": s.events})
}

// counter counts the ticks in which a player has pressed.
type counter struct {
	N int32 `net:"0..1000000000"`
}

// press is the input.
type press struct {
	On int8 `net:"0..1"`
}

// counting returns the game.
func counting() *ecs.Protocol {
	p := ecs.NewProtocol("bench-outlive/1")
	ecs.Replicate[counter](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[press](p)
	p.Simulate("count", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			Counter *counter
			In      *press
		}](w) {
			r.Counter.N += int32(r.In.On)
		}
	})
	return join(p)
}
