package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

const (
	// matchInterval is how often a shared queue runs: each process lists its players, and the matching process calls the
	// match.Func.
	matchInterval = time.Second
	// listTimeout is how long the matching process may take to answer. It is shorter than the time from the end of its claim to
	// the start of another one, so that no process uses an answer of the earlier one then.
	listTimeout = time.Second
	// maxListed is the size of the tickets in a request, in bytes, that is not exceeded by more than one ticket.
	maxListed = MaxRequestBytes / 2
)

// SharedQueue is a queue shared by the processes of a fleet, so that players at different processes meet. Each process keeps its
// own players' requests. Once a second it lists them to the process with the claim to matching, which matches all players,
// reserves seats, and answers who has them. The players' processes then fetch the tokens, as for a reconnecting player. If the
// matching process dies, another one continues when its lease has expired. Any goroutine may call the methods.
type SharedQueue struct {
	config    match.Config
	seats     rooms.Seats
	directory Directory
	name      string // of this queue, random
	claim     *claim // to matching
	now       func() time.Time

	run    sync.Mutex  // one Run at a time
	number uint64      // of the newest list
	listed atomic.Bool // the matching process may have players of this one
	stop   func()      // ends the handling of listings

	mu         sync.Mutex
	guests     map[uint64]*guest // players who wait at this process
	total      int               // waiting players in the fleet, at the latest Run
	matchmaker *matchmaker       // nil: another process matches
	epoch      uint64            // of the claim under which this process matches
}

var _ match.Waitlist = (*SharedQueue)(nil)

// guest is a player who waits at this process.
type guest struct {
	wish     match.Wish
	since    time.Time
	asked    time.Time   // when the player last asked
	wait     *match.Wait // nil: the player must ask again
	paused   time.Time   // since when the player must ask again
	room     rooms.ID    // where the player has a seat; 0: not matched
	until    time.Time   // how long to fetch the token
	fetching bool        // its token is being fetched
}

// newSharedQueue returns the queue of all processes with the fingerprint of seats, because processes with another key have another
// queue.
func newSharedQueue(c match.Config, seats fingerprinted, d Directory, now func() time.Time) *SharedQueue {
	name := rand.Text()
	return &SharedQueue{
		config: c.WithDefaults(), seats: seats, directory: d, name: name, now: now,
		claim: newClaim(d, now, "matching."+seats.Fingerprint(), name, true), guests: make(map[uint64]*guest),
	}
}

// fingerprinted is the seats of a fleet.
type fingerprinted interface {
	rooms.Seats
	Fingerprint() string
}

// Len implements [match.Waitlist]. It returns the number of waiting players in the fleet at the latest Run.
func (s *SharedQueue) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.total, len(s.guests))
}

// Interval implements [match.Waitlist].
func (s *SharedQueue) Interval() time.Duration { return matchInterval }

// Here implements [match.Waitlist].
func (s *SharedQueue) Here() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.guests)
}

// Busy implements [match.Waitlist]. It returns true if players wait here or this process matches.
func (s *SharedQueue) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.guests) > 0 || s.listed.Load() || s.matchmaker != nil
}

// Enter implements [match.Waitlist]. A player who has asked another process keeps its place; the earlier request is
// answered with match.ErrSuperseded. If the members of a party do not fit together, their requests get this error.
func (s *SharedQueue) Enter(now time.Time, wish match.Wish) (*match.Wait, error) {
	wish, err := wish.Clean(match.Over(s.seats))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := wish.Player.ID
	g := s.guests[id]
	switch {
	case g == nil && len(s.guests) >= s.config.Most:
		return nil, fmt.Errorf("%w: %d", match.ErrFull, len(s.guests))
	case g == nil:
		g = &guest{since: now.Round(0).UTC()}
	case g.wait != nil:
		g.wait.Reply(match.Answer{Err: match.ErrSuperseded})
	}
	if s.guests[id] == g && !g.wish.Same(wish) {
		g = &guest{since: now.Round(0).UTC()}
	}
	g.wish, g.wait, g.paused, g.asked = wish, match.NewWait(id), time.Time{}, now.Round(0).UTC()
	s.guests[id] = g
	return g.wait, nil
}

// Leave implements [match.Waitlist].
func (s *SharedQueue) Leave(w *match.Wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.guests[w.Player()]; g != nil && g.wait == w {
		delete(s.guests, w.Player())
	}
}

// Pause implements [match.Waitlist].
func (s *SharedQueue) Pause(now time.Time, w *match.Wait) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guests[w.Player()]
	if g == nil || g.wait != w || g.fetching {
		return false
	}
	g.wait, g.paused = nil, now
	return true
}

// Run implements [match.Waitlist]. It lists this process's players, matches all players if this process holds the claim, and
// answers its matched players. ctx is for the directory and for giving seats. The error wraps match.ErrMatch. While the directory
// accepts no writes, nobody is matched and all players wait.
func (s *SharedQueue) Run(ctx context.Context, now time.Time) (err error) {
	s.run.Lock()
	defer s.run.Unlock()
	s.expire(now)
	to := s.findMatcher(ctx)
	s.setMatching(to == s.name)
	if to != "" {
		s.list(ctx, now, to)
	}
	if to == s.name {
		err = s.match(ctx, now)
		s.list(ctx, now, to)
	}
	s.fetchTokens(ctx)
	return err
}

// expire removes the players who were told to ask again and did not. A player who cannot get a token waits on.
func (s *SharedQueue) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, g := range s.guests {
		switch {
		case !g.paused.IsZero() && now.Sub(g.paused) > s.config.Hold:
			delete(s.guests, id)
		case g.room != 0 && !g.fetching && now.After(g.until):
			g.waitOn()
		}
	}
}

// waitOn makes a matched player wait on, with another ticket of the same age. The caller holds the lock.
func (g *guest) waitOn() {
	g.room, g.since = 0, g.since.Add(1)
}

// findMatcher renews or claims the claim to matching, and returns the name of the process that has it, or "". A process without
// players, or that accepts no new players, leaves the claim to others.
func (s *SharedQueue) findMatcher(ctx context.Context) string {
	s.mu.Lock()
	idle := len(s.guests) == 0 && !s.listed.Load() && (s.matchmaker == nil || len(s.matchmaker.players) == 0)
	s.mu.Unlock()
	if !idle && s.claim.current() == 0 {
		var e claimRecord
		if _, err := find(ctx, s.directory, s.claim.key, &e); err != nil || e.Process != "" && e.Process != s.name {
			return e.Process
		}
	}
	if idle || s.seats.Ready() != nil {
		_ = s.claim.resign(ctx) // otherwise its lease expires
	} else {
		s.renew(ctx)
	}
	if s.claim.current() == 0 {
		return ""
	}
	return s.name
}

// renew renews the claim, or claims. After a failure the claim is unchanged, and the next attempt follows a second later.
func (s *SharedQueue) renew(ctx context.Context) {
	_, _ = s.claim.renew(ctx, func(epoch uint64) any { return claimRecord{s.name, epoch} })
}

// setMatching starts or stops the matching of this process.
func (s *SharedQueue) setMatching(matches bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.matchmaker != nil && (!matches || !s.holds()) {
		s.matchmaker = nil
	}
	if !matches {
		if s.stop != nil {
			s.stop()
			s.stop = nil
		}
		return
	}
	if s.matchmaker == nil {
		s.matchmaker, s.epoch = newMatchmaker(s.config, match.Over(s.seats)), s.claim.current()
	}
	if s.stop == nil {
		s.stop, _ = s.directory.Handle(listAddress(s.name), s.answer) // otherwise the next Run retries
	}
}

// holds reports whether this process matches under a claim that has held since it began. The caller holds the lock.
func (s *SharedQueue) holds() bool {
	return s.matchmaker != nil && s.epoch != 0 && s.claim.current() == s.epoch
}

// listAddress returns the address of the listings for a process.
func listAddress(name string) string { return "queue." + name }

// answer answers the listing of another process. A process whose claim has ended does not answer.
func (s *SharedQueue) answer(_ context.Context, request []byte) []byte {
	l, err := parseListing(request)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.holds() {
		return nil
	}
	r, ok := s.matchmaker.accept(s.now(), &l)
	if !ok {
		return nil
	}
	b, _ := json.Marshal(r) // it has no values that fail
	return b
}

// list lists this process's players to the process that matches, which may be this one, and applies the results.
func (s *SharedQueue) list(ctx context.Context, now time.Time, to string) {
	s.number++
	all := s.tickets()
	if len(all) > 0 {
		s.listed.Store(true) // also if no answer comes
	}
	if to == s.name && s.listHere(now, all) || to != s.name && s.send(ctx, now, to, all) {
		s.listed.Store(len(all) > 0)
	}
}

// listHere lists players to this process. It returns false if this process does not match any more.
func (s *SharedQueue) listHere(now time.Time, all []ticket) (ok bool) {
	var r results
	s.mu.Lock()
	if s.holds() {
		r, ok = s.matchmaker.accept(now, &listing[ticket]{Process: s.name, Number: s.number, Tickets: all})
	}
	s.mu.Unlock()
	if ok {
		s.apply(now, &r)
	}
	return ok
}

// tickets returns the tickets of this process's players, in the order of players.
func (s *SharedQueue) tickets() (all []ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.guests)) {
		g := s.guests[id]
		w := &g.wish
		all = append(all, ticket{
			Since: g.since, Asked: g.asked, Paused: g.wait == nil, Room: g.room, Kind: w.Kind, Schema: w.Schema, Size: w.Size, Options: w.Options,
			Properties: w.Properties, Player: id, Party: w.Player.Party, Data: w.Player.Data,
		})
	}
	return all
}

// send lists players to another process, in several requests if they are many. It returns false if a request was not answered.
func (s *SharedQueue) send(ctx context.Context, now time.Time, to string, all []ticket) bool {
	for l := (listing[json.RawMessage]{Process: s.name, Number: s.number, More: true}); l.More; {
		l.Tickets = l.Tickets[:0]
		for size := 0; len(all) > 0 && size < maxListed; all = all[1:] {
			b, err := json.Marshal(&all[0])
			if err != nil {
				return false
			}
			size += len(b)
			l.Tickets = append(l.Tickets, b)
		}
		l.More = len(all) > 0
		var r results
		if !s.request(ctx, to, &l, &r) {
			return false
		}
		s.apply(now, &r)
	}
	return true
}

// request sends a request of a list. It returns false if no process that matches has answered.
func (s *SharedQueue) request(ctx context.Context, to string, l *listing[json.RawMessage], r *results) bool {
	b, err := json.Marshal(l)
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	answer, err := s.directory.Request(ctx, listAddress(to), b)
	return err == nil && json.Unmarshal(answer, r) == nil
}

// apply applies the results of this process's players. A player who must ask again gets the answer then.
func (s *SharedQueue) apply(now time.Time, r *results) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total = r.Waiting
	for _, x := range r.Players {
		g := s.guests[x.Player]
		switch {
		case g == nil || !g.asked.Equal(x.Asked):
		case x.Room != 0:
			g.room, g.until = x.Room, now.Add(resultTTL)
		case g.wait != nil:
			g.wait.Reply(match.Answer{Err: queueError(x.Refused)})
			delete(s.guests, x.Player)
		case x.Refused == queueRefusal(match.ErrSuperseded):
			delete(s.guests, x.Player)
		}
	}
}

// match runs the queue of the whole fleet.
func (s *SharedQueue) match(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	m := s.matchmaker
	m.expire(now)
	m.prepare(now)
	s.mu.Unlock()
	err := s.whileRenewing(ctx, func() error { return m.queue.Run(ctx, now) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds() { // otherwise another process may match the same players: the seats are freed when their promises expire
		m.collect()
	}
	return err
}

// whileRenewing calls f and renews the claim meanwhile, because giving seats may take longer than the lease.
func (s *SharedQueue) whileRenewing(ctx context.Context, f func() error) error {
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

// fetchTokens fetches the tokens of this process's matched players.
func (s *SharedQueue) fetchTokens(ctx context.Context) {
	var due []*guest
	s.mu.Lock()
	for _, id := range slices.Sorted(maps.Keys(s.guests)) {
		if g := s.guests[id]; g.room != 0 && g.wait != nil && !g.fetching {
			g.fetching = true
			due = append(due, g)
		}
	}
	s.mu.Unlock()
	for _, g := range due {
		if s.config.AtOnce == 1 {
			s.fetchToken(ctx, g)
		} else {
			go s.fetchToken(context.WithoutCancel(ctx), g) // it may take as long as another process takes to answer
		}
	}
}

// fetchToken fetches the token of a matched player. After a failure the next Run retries for resultTTL, because the directory may
// not show a new room yet. A player whose promise has expired gets another seat in the same room, with the rest of its party.
// Without a free seat, the player waits on.
func (s *SharedQueue) fetchToken(ctx context.Context, g *guest) {
	s.mu.Lock()
	player, room := g.wish.Player, g.room
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
		g.wait.Reply(match.Answer{Admission: a})
		delete(s.guests, player.ID)
	case errors.Is(err, rooms.ErrNoSeat) || errors.Is(err, rooms.ErrEnded):
		g.waitOn()
	}
}
