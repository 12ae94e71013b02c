package fleet

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
	"github.com/tactusgo/tactus/systems/rooms/match"
)

const (
	// matchInterval is how often the matching process calls the match.Func.
	matchInterval = time.Second
	// queueInterval is how often a shared queue runs, because processes communicate through the directory.
	queueInterval = matchInterval / 5
)

// SharedQueue is a queue shared by the processes of a fleet, so that players at different processes meet. Each process
// keeps its own players' requests and a ticket per player in the directory. The process with the claim matches all tickets
// and reserves seats. The players' processes then fetch the tokens, as for a reconnecting player. If the matching process
// dies, another one continues with the same tickets when the lease has expired. Any goroutine may call the methods.
type SharedQueue struct {
	config    match.Config
	seats     rooms.Seats
	directory Directory
	keys      queueKeys
	name      string // in tickets; random
	claim     *claim // to matching
	now       func() time.Time

	run         sync.Mutex // one Run at a time
	renewed     time.Time  // when the claim was last renewed
	ran         time.Time  // when the queue last ran
	results     uint64     // number of results of this process, for their keys
	queue       *match.Queue
	entered     map[uint64]*enteredTicket // in queue, by player
	unwritten   []unwrittenResult
	readTickets map[string]ticket // at the last list, by key
	readResults map[string]result

	mu      sync.Mutex
	guests  map[uint64]*guest // players who wait at this process
	left    []*guest          // players whose tickets must be removed
	total   int               // waiting players in the fleet, at the latest Run
	matches bool              // this process matches
}

var _ match.Waitlist = (*SharedQueue)(nil)

// guest is a player who waits at this process.
type guest struct {
	wish     match.Wish
	since    time.Time
	wait     *match.Wait // nil: the player must ask again
	paused   time.Time   // since when the player must ask again
	asked    bool        // the player has asked since the latest write of its ticket: take the ticket from another process
	changes  uint64      // counts the changes of the ticket
	written  uint64      // changes at the last write
	revision uint64      // of its ticket; 0: unknown
	renewed  time.Time   // when the ticket was last written
	fetching bool        // its token is being fetched
}

// enteredTicket is a player in the matching process's queue.
type enteredTicket struct {
	wait   *match.Wait
	since  time.Time
	paused bool
}

// unwrittenResult is a result that may not have been written. It is written again under the same key and never decided
// again, because a refused write may be done late and would send the members of a party to two rooms.
type unwrittenResult struct {
	key   string
	value result
	since time.Time
}

// newSharedQueue returns the queue of all processes with the fingerprint of seats.
func newSharedQueue(c match.Config, seats fingerprinted, d Directory, now func() time.Time) *SharedQueue {
	name, keys := rand.Text(), queueKeys("."+seats.Fingerprint())
	return &SharedQueue{
		config: c.WithDefaults(), seats: seats, directory: d, name: name, now: now, keys: keys,
		claim: newClaim(d, now, keys.matcher(), name, true), guests: make(map[uint64]*guest),
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
func (s *SharedQueue) Interval() time.Duration { return queueInterval }

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
	return len(s.guests)+len(s.left) > 0 || s.matches
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
		g = &guest{since: now.Round(0).UTC(), revision: g.revision}
	}
	g.wish, g.wait, g.paused, g.asked = wish, match.NewWait(id), time.Time{}, true
	g.changes++
	s.guests[id] = g
	return g.wait, nil
}

// Leave implements [match.Waitlist].
func (s *SharedQueue) Leave(w *match.Wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.guests[w.Player()]; g != nil && g.wait == w {
		s.remove(g)
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
	g.changes++
	return true
}

// remove removes a player from the queue. The next Run removes its ticket. The caller holds the lock.
func (s *SharedQueue) remove(g *guest) {
	delete(s.guests, g.wish.Player.ID)
	if g.revision != 0 {
		s.left = append(s.left, g)
	}
}

// Run implements [match.Waitlist]. It writes the tickets of this process's players, matches all tickets once per second if
// this process holds the claim, and answers its matched players. ctx is for the directory and for giving seats. The error
// wraps match.ErrMatch. While the directory accepts no writes, nobody is matched and all players wait.
func (s *SharedQueue) Run(ctx context.Context, now time.Time) error {
	s.run.Lock()
	defer s.run.Unlock()
	s.publish(ctx, now)
	tickets, err := s.listTickets(ctx)
	if err == nil {
		err = s.matchIfClaimed(ctx, now, tickets)
		s.fetchTokens(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total, s.matches = len(tickets), s.queue != nil
	if errors.Is(err, rooms.ErrUnavailable) {
		return nil // the directory logs the failure
	}
	return err
}

// publish writes the tickets of this process's players and removes those of players who left.
func (s *SharedQueue) publish(ctx context.Context, now time.Time) {
	s.mu.Lock()
	left := s.left
	s.left = nil
	var due []*guest
	for _, id := range slices.Sorted(maps.Keys(s.guests)) {
		g := s.guests[id]
		if !g.paused.IsZero() && now.Sub(g.paused) > s.config.Hold {
			s.remove(g)
		} else if g.changes != g.written || now.Sub(g.renewed) >= ticketRenewal {
			due = append(due, g)
		}
	}
	s.mu.Unlock()
	match.Concurrently(s.config.AtOnce, len(left), func(i int) { s.withdraw(ctx, left[i]) })
	match.Concurrently(s.config.AtOnce, len(due), func(i int) { s.write(ctx, now, due[i]) })
}

// withdraw removes the ticket of a player who left, unless the player waits at another process. If this fails, the ticket's
// lease expires.
func (s *SharedQueue) withdraw(ctx context.Context, g *guest) {
	key := s.keys.ticket(g.wish.Player.ID)
	err := s.directory.Remove(ctx, key, g.revision)
	if !errors.Is(err, ErrConflict) {
		return
	}
	if r, err := s.directory.Load(ctx, key); err == nil {
		if t, err := s.keys.parseTicket(r); err == nil && t.Holder == s.name && t.Since.Equal(g.since) {
			_ = s.directory.Remove(ctx, key, r.Revision)
		}
	}
}

// write writes the ticket of a player. It takes the ticket from another process if the player has asked here since.
func (s *SharedQueue) write(ctx context.Context, now time.Time, g *guest) {
	for range 3 {
		s.mu.Lock()
		w, changes, over := g.wish, g.changes, g.revision
		value, err := json.Marshal(ticket{
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
			g.written, g.revision, g.renewed = changes, revision, now
			if g.changes == changes {
				g.asked = false
			}
			if s.guests[w.Player.ID] != g { // the player has left, or waits for another match, meanwhile
				s.passOn(g)
			}
			s.mu.Unlock()
			return
		}
		if !errors.Is(err, ErrConflict) {
			return
		}
		r, err := s.directory.Load(ctx, key)
		if err != nil && !errors.Is(err, ErrAbsent) {
			return
		}
		t, unread := s.keys.parseTicket(r)
		s.mu.Lock()
		g.revision = r.Revision // 0: no record
		if err == nil && unread == nil && t.Holder != s.name {
			if !g.asked {
				s.supersede(g)
				s.mu.Unlock()
				return
			}
			if t.wish().Same(g.wish) && g.since.After(t.Since) {
				g.since = t.Since
			}
		}
		s.mu.Unlock()
	}
}

// passOn passes the ticket to the player's current wait. Without one, the ticket must be removed. The caller holds the
// lock.
func (s *SharedQueue) passOn(g *guest) {
	if newer := s.guests[g.wish.Player.ID]; newer != nil {
		newer.revision = g.revision
		return
	}
	s.left = append(s.left, g)
}

// supersede ends the wait of a player who has asked another process since. The caller holds the lock.
func (s *SharedQueue) supersede(g *guest) {
	if s.guests[g.wish.Player.ID] != g {
		return
	}
	delete(s.guests, g.wish.Player.ID)
	if g.wait != nil {
		g.wait.Reply(match.Answer{Err: match.ErrSuperseded})
	}
}

// listTickets returns the tickets of the fleet, oldest first.
func (s *SharedQueue) listTickets(ctx context.Context) (all []ticket, err error) {
	records, err := s.directory.List(ctx, s.keys.tickets())
	read := make(map[string]ticket, len(records))
	for _, r := range records {
		t, is := s.readTickets[r.Key]
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
	s.readTickets = read
	slices.SortFunc(all, func(a, b ticket) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Player, b.Player)) })
	return all, err
}

// listResults returns the results in the directory.
func (s *SharedQueue) listResults(ctx context.Context) (all []result, err error) {
	records, err := s.directory.List(ctx, s.keys.results())
	read := make(map[string]result, len(records))
	for _, r := range records {
		x, is := s.readResults[r.Key] // results do not change
		if !is {
			var err error
			if x, err = s.keys.parseResult(r); err != nil {
				continue
			}
		}
		read[r.Key] = x
		all = append(all, x)
	}
	s.readResults = read
	return all, err
}

// matchIfClaimed matches if this process holds or gets the claim. A process that accepts no new players leaves the claim to
// others.
func (s *SharedQueue) matchIfClaimed(ctx context.Context, now time.Time, tickets []ticket) error {
	if len(tickets) == 0 || s.seats.Ready() != nil {
		s.queue = nil
		_ = s.claim.resign(ctx) // otherwise its lease expires
		return nil
	}
	if now.Sub(s.renewed) >= matchInterval {
		s.renewed = now
		s.renew(ctx)
	}
	if s.claim.current() == 0 {
		s.queue = nil
		return nil
	}
	if s.queue == nil {
		s.queue, s.entered, s.unwritten = match.New(s.config, match.Over(s.seats)), make(map[uint64]*enteredTicket), nil
	} else if now.Sub(s.ran) < matchInterval {
		return nil
	}
	s.ran = now
	return s.match(ctx, now, tickets)
}

// renew renews the claim, or claims. After a failure the claim is unchanged, and the next attempt follows a second later.
func (s *SharedQueue) renew(ctx context.Context) {
	_, _ = s.claim.renew(ctx, func(epoch uint64) any { return claimRecord{s.name, epoch} })
}

// match runs the queue of the whole fleet and writes the results.
func (s *SharedQueue) match(ctx context.Context, now time.Time, tickets []ticket) error {
	results, err := s.listResults(ctx)
	if err != nil {
		return err
	}
	done := make(map[uint64]time.Time) // Since of the matched tickets, by player
	for _, r := range results {
		for _, p := range r.Players {
			done[p.Player] = p.Since
		}
	}
	for _, u := range s.unwritten {
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
				continue // the player's process has checked it
			default:
				name := queueRefusal(err)
				refused[name] = append(refused[name], matched{t.Player, t.Since})
				continue
			}
			e = &enteredTicket{wait: w, since: t.Since}
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
	failed := s.whileRenewing(ctx, func() error { return s.queue.Run(ctx, now) })
	seated := make(map[rooms.ID][]matched)
	for _, id := range slices.Sorted(maps.Keys(s.entered)) {
		e := s.entered[id]
		select {
		case a := <-e.wait.Answer():
			delete(s.entered, id)
			if a.Err != nil {
				name := queueRefusal(a.Err)
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
	if s.claim.current() == 0 { // another process may match the same players: the seats are freed when their promises expire
		s.queue = nil
		return failed
	}
	for _, r := range all {
		for part := range slices.Chunk(r.Players, maxInResult) {
			s.results++
			s.unwritten = append(s.unwritten, unwrittenResult{s.keys.result(s.name, s.results), result{r.Room, r.Refused, part}, now})
		}
	}
	s.writeResults(ctx, now)
	return failed
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

// writeResults writes the outstanding results. After resultTimeout it drops a result: the seats are freed when their
// promises expire, and the players are matched again.
func (s *SharedQueue) writeResults(ctx context.Context, now time.Time) {
	written := make([]bool, len(s.unwritten))
	match.Concurrently(s.config.AtOnce, len(s.unwritten), func(i int) {
		u := &s.unwritten[i]
		value, err := json.Marshal(u.value)
		if err == nil {
			_, err = s.directory.Save(ctx, u.key, value, 0, resultLease)
		}
		written[i] = err == nil || errors.Is(err, ErrConflict) || now.Sub(u.since) > resultTimeout
	})
	var left []unwrittenResult
	for i, u := range s.unwritten {
		if !written[i] {
			left = append(left, u)
		}
	}
	s.unwritten = left
}

// fetchTokens answers this process's matched players. A player who must ask again gets the answer then.
func (s *SharedQueue) fetchTokens(ctx context.Context) {
	results, err := s.listResults(ctx)
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
				g.wait.Reply(match.Answer{Err: queueError(r.Refused)})
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
			s.fetchToken(ctx, d.guest, d.room)
		} else {
			go s.fetchToken(context.WithoutCancel(ctx), d.guest, d.room) // it may take as long as another process takes to answer
		}
	}
}

// fetchToken fetches the token of a matched player. After a failure it retries as long as the result exists, because the
// directory may not show a new room yet. A player whose promise has expired gets another seat in the same room, with the
// rest of its party. Without a free seat, the player waits on with another ticket of the same age.
func (s *SharedQueue) fetchToken(ctx context.Context, g *guest, room rooms.ID) {
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
		g.wait.Reply(match.Answer{Admission: a})
		s.remove(g)
	case errors.Is(err, rooms.ErrNoSeat) || errors.Is(err, rooms.ErrEnded):
		g.since = g.since.Add(1)
		g.changes++
	}
}
