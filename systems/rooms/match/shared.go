package match

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// matchInterval is how often the process that matches calls the Func.
const matchInterval = time.Second

// Shared is the queue of a fleet: players who ask different processes meet. Each process keeps the requests of its own
// players, and a record of each in the directory. One process, which holds a lease, matches them all and gives them seats;
// their own processes then fetch the tokens, as for a player who reconnects. When that process is gone, another one
// continues after the lease, with the same tickets. Its methods may be called from any goroutine.
type Shared struct {
	config    Config
	seats     rooms.Seats
	directory rooms.Directory
	keys      keys
	name      string // in records, drawn
	claim     *ledger.Claim
	now       func() time.Time

	run     sync.Mutex // one Run at a time
	renewed time.Time  // when the claim was last tried
	ran     time.Time  // when the queue last ran
	results uint64     // of this process, by which their keys differ
	queue   *Queue     // of the whole fleet; nil: another process matches
	entered map[uint64]*entered
	unsaid  []unsaid                // results that are not known to be written
	read    map[string]sharedTicket // the tickets, and the results, of the last lists, by key
	told    map[string]result

	mu      sync.Mutex
	guests  map[uint64]*guest // who waits here, by player
	left    []*guest          // whose records are to be removed
	total   int               // who waits in the fleet, at the last Run
	matches bool              // this process matches
}

// guest is a player who waits here.
type guest struct {
	wish     Wish
	since    time.Time
	wait     *Wait     // nil: it was told to ask again
	paused   time.Time // when it was told so
	asked    bool      // it has asked since its record was last written: it takes the record over from another process
	changed  uint64    // counts what changes the record
	written  uint64    // changed, as of the last write
	revision uint64    // of its record; 0: none is known
	renewed  time.Time // when the record was last written
	fetching bool      // its token is being fetched
}

// entered is a player of any process in the queue of the one that matches.
type entered struct {
	wait   *Wait
	since  time.Time
	paused bool
}

// unsaid is a result that may not have been written. It is written again under the same key and never decided anew: a write that
// was refused may be done late, and then the members of a party would be sent to two rooms.
type unsaid struct {
	key   string
	value result
	since time.Time
}

// Share returns a queue that all processes with this directory share; seats are those of the fleet, as of package lobby. Seats
// with a method Fingerprint() string share it with seats of the same fingerprint alone. Now is the time of day, as for
// [Shared.Run].
func Share(c Config, seats rooms.Seats, d rooms.Directory, now func() time.Time) *Shared {
	var k keys
	if f, ok := seats.(interface{ Fingerprint() string }); ok {
		k = keys("." + f.Fingerprint())
	}
	name := rand.Text()
	return &Shared{
		config: c.filled(), seats: seats, directory: d, name: name, now: now, keys: k,
		claim: ledger.NewClaim(d, now, k.matcher(), name, true), guests: make(map[uint64]*guest),
	}
}

// Len returns how many players wait in the fleet, as of the last Run, and at least how many wait here.
func (s *Shared) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.total, len(s.guests))
}

// Here returns how many players wait at this process.
func (s *Shared) Here() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.guests)
}

// Busy reports whether there is anything for Run to do: somebody waits here, or this process matches.
func (s *Shared) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.guests)+len(s.left) > 0 || s.matches
}

// Enter is [Queue.Enter]. A player who has asked another process keeps its place, and its request there is answered with
// [ErrSuperseded]. That a party does not fit together is the answer to its request.
func (s *Shared) Enter(now time.Time, wish Wish) (*Wait, error) {
	wish, err := wish.clean(Over(s.seats))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := wish.Player.ID
	g := s.guests[id]
	switch {
	case g == nil && len(s.guests) >= s.config.Most:
		return nil, fmt.Errorf("%w: %d", ErrFull, len(s.guests))
	case g == nil:
		g = &guest{since: now.Round(0).UTC()}
	case g.wait != nil:
		g.wait.answer <- Answer{Err: ErrSuperseded}
	}
	if s.guests[id] == g && !same(g.wish, wish) {
		g = &guest{since: now.Round(0).UTC(), revision: g.revision}
	}
	g.wish, g.wait, g.paused, g.asked = wish, &Wait{answer: make(chan Answer, 1), player: id}, time.Time{}, true
	g.changed++
	s.guests[id] = g
	return g.wait, nil
}

// Leave is [Queue.Leave].
func (s *Shared) Leave(w *Wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.guests[w.player]; g != nil && g.wait == w {
		s.remove(g)
	}
}

// Pause is [Queue.Pause].
func (s *Shared) Pause(now time.Time, w *Wait) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guests[w.player]
	if g == nil || g.wait != w || g.fetching {
		return false
	}
	g.wait, g.paused = nil, now
	g.changed++
	return true
}

// remove takes a player out of the queue, and notes that its record is to be removed. With the lock.
func (s *Shared) remove(g *guest) {
	delete(s.guests, g.wish.Player.ID)
	if g.revision != 0 {
		s.left = append(s.left, g)
	}
}

// Run writes down who waits here, matches the whole fleet once a second if that is this process's turn, and answers those
// of its players who were matched; ctx is for the directory and for giving seats. Call it several times a second while
// [Shared.Busy]. The error wraps [ErrMatch]. While the directory takes no writes nobody is matched, and everybody waits.
func (s *Shared) Run(ctx context.Context, now time.Time) error {
	s.run.Lock()
	defer s.run.Unlock()
	s.publish(ctx, now)
	tickets, err := s.list(ctx)
	if err == nil {
		err = s.lead(ctx, now, tickets)
		s.fetch(ctx, now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total, s.matches = len(tickets), s.queue != nil
	if errors.Is(err, rooms.ErrUnavailable) {
		return nil // the directory logs that, and answers later
	}
	return err
}

// publish writes the records of the players who wait here, and removes those of players who do so no longer.
func (s *Shared) publish(ctx context.Context, now time.Time) {
	s.mu.Lock()
	left := s.left
	s.left = nil
	var due []*guest
	for _, id := range slices.Sorted(maps.Keys(s.guests)) {
		g := s.guests[id]
		if !g.paused.IsZero() && now.Sub(g.paused) > s.config.Hold {
			s.remove(g)
		} else if g.changed != g.written || now.Sub(g.renewed) >= ticketRenewal {
			due = append(due, g)
		}
	}
	s.mu.Unlock()
	atOnce(s.config.AtOnce, len(left), func(i int) { s.withdraw(ctx, left[i]) })
	atOnce(s.config.AtOnce, len(due), func(i int) { s.write(ctx, now, due[i]) })
}

// withdraw removes the record of a player who has left, unless the player waits elsewhere by now. What cannot be removed ends
// with its lease.
func (s *Shared) withdraw(ctx context.Context, g *guest) {
	key := s.keys.ticket(g.wish.Player.ID)
	err := s.directory.Remove(ctx, key, g.revision)
	if !errors.Is(err, rooms.ErrConflict) {
		return
	}
	if r, err := s.directory.Load(ctx, key); err == nil {
		if t, err := s.keys.parseTicket(r); err == nil && t.Holder == s.name && t.Since.Equal(g.since) {
			_ = s.directory.Remove(ctx, key, r.Revision)
		}
	}
}

// write writes the record of a player. The record of another process is written over if the player has asked here since.
func (s *Shared) write(ctx context.Context, now time.Time, g *guest) {
	for range 3 {
		s.mu.Lock()
		w, changed, over := g.wish, g.changed, g.revision
		value, err := json.Marshal(sharedTicket{
			Holder: s.name, Since: g.since, Paused: g.wait == nil, Kind: w.Kind, Schema: w.Schema, Size: w.Size, Options: w.Options, Properties: w.Properties,
			Player: w.Player.ID, Party: w.Player.Party, Data: w.Player.Data,
		})
		s.mu.Unlock()
		if err != nil {
			return
		}
		key := s.keys.ticket(w.Player.ID)
		revision, err := s.directory.Save(ctx, key, value, over, ticketLease)
		if err == nil {
			s.mu.Lock()
			g.written, g.revision, g.renewed = changed, revision, now
			if g.changed == changed {
				g.asked = false
			}
			if s.guests[w.Player.ID] != g { // it has left, or waits for something else, meanwhile
				s.replaced(g)
			}
			s.mu.Unlock()
			return
		}
		if !errors.Is(err, rooms.ErrConflict) {
			return
		}
		r, err := s.directory.Load(ctx, key)
		if err != nil && !errors.Is(err, rooms.ErrAbsent) {
			return
		}
		t, unread := s.keys.parseTicket(r)
		s.mu.Lock()
		g.revision = r.Revision // 0: there is none
		if err == nil && unread == nil && t.Holder != s.name {
			if !g.asked {
				s.supersede(g)
				s.mu.Unlock()
				return
			}
			if same(t.wish(), g.wish) && g.since.After(t.Since) {
				g.since = t.Since
			}
		}
		s.mu.Unlock()
	}
}

// replaced hands the record of a player on to what the player waits for now; if the player waits for nothing, the record is to
// be removed. With the lock.
func (s *Shared) replaced(g *guest) {
	if newer := s.guests[g.wish.Player.ID]; newer != nil {
		newer.revision = g.revision
		return
	}
	s.left = append(s.left, g)
}

// supersede ends the wait of a player who has asked another process since. With the lock.
func (s *Shared) supersede(g *guest) {
	if s.guests[g.wish.Player.ID] != g {
		return
	}
	delete(s.guests, g.wish.Player.ID)
	if g.wait != nil {
		g.wait.answer <- Answer{Err: ErrSuperseded}
	}
}

// list returns the tickets of the fleet, oldest first.
func (s *Shared) list(ctx context.Context) (all []sharedTicket, err error) {
	records, err := s.directory.List(ctx, s.keys.tickets())
	read := make(map[string]sharedTicket, len(records))
	for _, r := range records {
		t, is := s.read[r.Key]
		if !is || t.revision != r.Revision {
			var err error
			if t, err = s.keys.parseTicket(r); err != nil {
				continue
			}
		}
		read[r.Key] = t
		all = append(all, t)
		s.mu.Lock()
		if g := s.guests[t.Player]; g != nil && t.Holder != s.name && !g.asked && r.Revision > g.revision {
			s.supersede(g)
		}
		s.mu.Unlock()
	}
	s.read = read
	slices.SortFunc(all, func(a, b sharedTicket) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Player, b.Player)) })
	return all, err
}

// found returns the results that are in the directory.
func (s *Shared) found(ctx context.Context) (all []result, err error) {
	records, err := s.directory.List(ctx, s.keys.results())
	told := make(map[string]result, len(records))
	for _, r := range records {
		x, is := s.told[r.Key] // what was written once does not change
		if !is {
			var err error
			if x, err = s.keys.parseResult(r); err != nil {
				continue
			}
		}
		told[r.Key] = x
		all = append(all, x)
	}
	s.told = told
	return all, err
}

// lead matches if this process holds the lease, or can get it. A process that takes nobody new leaves it to others.
func (s *Shared) lead(ctx context.Context, now time.Time, tickets []sharedTicket) error {
	if len(tickets) == 0 || s.seats.Ready() != nil {
		s.queue = nil
		_ = s.claim.Resign(ctx) // its lease ends it, too
		return nil
	}
	if now.Sub(s.renewed) >= matchInterval {
		s.renewed = now
		s.renew(ctx)
	}
	if s.claim.Current() == 0 {
		s.queue = nil
		return nil
	}
	if s.queue == nil {
		s.queue, s.entered, s.unsaid = New(s.config, Over(s.seats)), make(map[uint64]*entered), nil
	} else if now.Sub(s.ran) < matchInterval {
		return nil
	}
	s.ran = now
	return s.match(ctx, now, tickets)
}

// renew claims the lease, or renews it. What fails is tried again a second later: meanwhile the claim is as it was.
func (s *Shared) renew(ctx context.Context) {
	_, _ = s.claim.Renew(ctx, func(epoch uint64) any {
		return struct {
			Process string `json:"process"`
			Epoch   uint64 `json:"epoch"`
		}{s.name, epoch}
	})
}

// match runs the queue of the whole fleet, and writes down who got seats.
func (s *Shared) match(ctx context.Context, now time.Time, tickets []sharedTicket) error {
	results, err := s.found(ctx)
	if err != nil {
		return err
	}
	done := make(map[uint64]time.Time) // since, of those who were matched and have not fetched their seats
	for _, r := range results {
		for _, p := range r.Players {
			done[p.Player] = p.Since
		}
	}
	for _, u := range s.unsaid {
		for _, p := range u.value.Players {
			done[p.Player] = p.Since
		}
	}
	refused := make(map[string][]matched)
	waiting := make(map[uint64]bool, len(tickets))
	for _, t := range tickets {
		if since, is := done[t.Player]; is && since.Equal(t.Since) {
			continue
		}
		e := s.entered[t.Player]
		if e == nil || !e.since.Equal(t.Since) || e.paused && !t.Paused {
			w, err := s.queue.Enter(t.Since, t.wish())
			switch {
			case err == nil:
			case errors.Is(err, rooms.ErrKind) || errors.Is(err, rooms.ErrSchema):
				continue // its own process knows better
			default:
				name := refusalName(err)
				refused[name] = append(refused[name], matched{t.Player, t.Since})
				continue
			}
			e = &entered{wait: w, since: t.Since}
			s.entered[t.Player] = e
		}
		waiting[t.Player] = true
		if e.paused = t.Paused; e.paused {
			s.queue.Pause(now, e.wait)
		}
	}
	for id, e := range s.entered {
		if !waiting[id] {
			s.queue.Leave(e.wait)
			delete(s.entered, id)
		}
	}
	failed := s.held(ctx, func() error { return s.queue.Run(ctx, now) })
	seated := make(map[rooms.ID][]matched)
	for _, id := range slices.Sorted(maps.Keys(s.entered)) {
		e := s.entered[id]
		select {
		case a := <-e.wait.Answer():
			delete(s.entered, id)
			if a.Err != nil {
				name := refusalName(a.Err)
				refused[name] = append(refused[name], matched{id, e.since})
			} else {
				seated[a.Admission.Seat.Room] = append(seated[a.Admission.Seat.Room], matched{id, e.since})
			}
		default:
		}
	}
	var all []result
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		all = append(all, result{Refused: name, Players: refused[name]})
	}
	for _, room := range slices.Sorted(maps.Keys(seated)) {
		all = append(all, result{Room: room, Players: seated[room]})
	}
	if s.claim.Current() == 0 { // another process may match the same players: their seats are free again when the promise is over
		s.queue = nil
		return failed
	}
	for _, r := range all {
		for part := range slices.Chunk(r.Players, mostInResult) {
			s.results++
			s.unsaid = append(s.unsaid, unsaid{s.keys.result(s.name, s.results), result{r.Room, r.Refused, part}, now})
		}
	}
	s.tell(ctx, now)
	return failed
}

// held calls f, and renews the lease meanwhile: giving seats may take longer than that.
func (s *Shared) held(ctx context.Context, f func() error) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(matchInterval)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				s.renew(ctx)
			}
		}
	}()
	defer func() { stop(); <-ended }()
	return f()
}

// tell writes the results that are not known to be written. Seats that nobody can be told of for long are given up: they are
// free again when the promise is over, and their players are matched anew.
func (s *Shared) tell(ctx context.Context, now time.Time) {
	written := make([]bool, len(s.unsaid))
	atOnce(s.config.AtOnce, len(s.unsaid), func(i int) {
		u := &s.unsaid[i]
		value, err := json.Marshal(u.value)
		if err == nil {
			_, err = s.directory.Save(ctx, u.key, value, 0, resultLease)
		}
		written[i] = err == nil || errors.Is(err, rooms.ErrConflict) || now.Sub(u.since) > unsaidTime
	})
	var left []unsaid
	for i, u := range s.unsaid {
		if !written[i] {
			left = append(left, u)
		}
	}
	s.unsaid = left
}

// fetch answers the players of this process who were matched. Who was told to ask again gets the answer then.
func (s *Shared) fetch(ctx context.Context, now time.Time) {
	results, err := s.found(ctx)
	if err != nil {
		return
	}
	type due struct {
		*guest
		room rooms.ID
	}
	var all []due
	s.mu.Lock()
	for _, r := range results {
		for _, p := range r.Players {
			g := s.guests[p.Player]
			if g == nil || !g.since.Equal(p.Since) || g.wait == nil || g.fetching {
				continue
			}
			if r.Refused != "" {
				g.wait.answer <- Answer{Err: refusal(r.Refused)}
				s.remove(g)
				continue
			}
			g.fetching = true
			all = append(all, due{g, r.Room})
		}
	}
	s.mu.Unlock()
	for _, d := range all {
		if s.config.AtOnce == 1 {
			s.seat(ctx, d.guest, d.room)
		} else {
			go s.seat(context.WithoutCancel(ctx), d.guest, d.room) // it may take as long as another process takes to answer
		}
	}
}

// seat fetches the token of a player who has a seat. Where that fails it is tried again while the result is there: the directory
// does not show a room yet that has just been made. A player whose seat is no longer promised gets another one in the same room,
// where the others of its party are. If there is none, the player waits on with another ticket of the same age.
func (s *Shared) seat(ctx context.Context, g *guest, room rooms.ID) {
	s.mu.Lock()
	player := g.wish.Player
	s.mu.Unlock()
	a, err := s.seats.Reconnect(ctx, room, player)
	if errors.Is(err, rooms.ErrNoSeat) {
		switch again, failed := s.seats.Reserve(ctx, room, player); {
		case failed == nil:
			a, err = again[0], nil
		case errors.Is(failed, rooms.ErrUnavailable):
			err = failed
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.fetching = false
	switch {
	case s.guests[player.ID] != g:
	case err == nil && g.wait != nil:
		g.wait.answer <- Answer{Admission: a}
		s.remove(g)
	case errors.Is(err, rooms.ErrNoSeat) || errors.Is(err, rooms.ErrEnded):
		g.since = g.since.Add(1)
		g.changed++
	}
}

// atOnce calls f for 0 to n-1, so many at a time; with one at a time on the caller's goroutine.
func atOnce(most, n int, f func(i int)) {
	if most == 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var busy sync.WaitGroup
	defer busy.Wait()
	places := make(chan struct{}, most)
	for i := range n {
		places <- struct{}{}
		busy.Go(func() {
			defer func() { <-places }()
			f(i)
		})
	}
}
