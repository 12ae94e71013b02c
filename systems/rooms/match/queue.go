package match

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultMost = 10_000
	defaultHold = 5 * time.Second
	mostRefused = 16 // of the rooms that refused a ticket
)

// Config configures a [Queue]. The zero value is its default.
type Config struct {
	// Match decides which players get into which room. Default (nil): Rules{}.Match.
	Match Func
	// Most is the largest number of waiting players. Default (0): 10,000.
	Most int
	// Hold is how long a player who was told to ask again keeps its place. Default (0): 5 s.
	Hold time.Duration
	// AtOnce is how many groups are given seats concurrently. Use more than one if that takes time, as in a fleet. Default (0): 1,
	// in the order of groups.
	AtOnce int
}

// Seater gives seats to matched players.
type Seater interface {
	// Capacity returns the number of seats in a room of a kind, for clients with a schema ("": any), 0 if there is no such kind.
	Capacity(kind, schema string) int
	// Open returns the open rooms of a kind for such clients, without private ones, in the order of their creation.
	Open(kind, schema string) []Place
	// Seat gives the players of a wish seats in a room, 0 for a new room with the options of the wish: all or none, in their
	// order. The error is that of rooms.Seats.
	Seat(ctx context.Context, room rooms.ID, w rooms.Wish) ([]rooms.Admission, error)
}

// Waitlist has the players who wait for a match: a [Queue], or one that the processes of a fleet share. Its methods may be
// called from any goroutine.
type Waitlist interface {
	// Enter makes a player wait: see [Queue.Enter].
	Enter(now time.Time, wish Wish) (*Wait, error)
	// Leave stops a player from waiting: see [Queue.Leave].
	Leave(w *Wait)
	// Pause keeps the place of a player who is told to ask again: see [Queue.Pause].
	Pause(now time.Time, w *Wait) bool
	// Len returns how many players wait, in a fleet at all processes.
	Len() int
	// Here returns how many players wait at this process.
	Here() int
	// Busy reports whether Run has anything to do.
	Busy() bool
	// Run matches the players who wait: call it every Interval while Busy.
	Run(ctx context.Context, now time.Time) error
	// Interval returns how often to call Run.
	Interval() time.Duration
}

var _ Waitlist = (*Queue)(nil)

// runInterval is how often to run a queue.
const runInterval = time.Second

// Queue has the players who wait at one process. Its methods may be called from any goroutine.
type Queue struct {
	config Config
	seater Seater
	run    sync.Mutex // one Run at a time

	mu      sync.Mutex
	last    uint64 // id of the newest ticket
	members map[uint64]*member
	parties map[partyKey]*party // those of more than one
	order   []*party            // in the order in which they came
}

// New returns a queue whose players get seats from s.
func New(c Config, s Seater) *Queue {
	return &Queue{config: c.WithDefaults(), seater: s, members: make(map[uint64]*member), parties: make(map[partyKey]*party)}
}

// WithDefaults returns c with the documented defaults in place of zeros.
func (c Config) WithDefaults() Config {
	if c.Match == nil {
		c.Match = Rules{}.Match
	}
	c.Most, c.Hold = cmp.Or(c.Most, defaultMost), cmp.Or(c.Hold, defaultHold)
	c.AtOnce = max(c.AtOnce, 1)
	return c
}

// Busy implements [Waitlist]: players wait.
func (q *Queue) Busy() bool { return q.Len() > 0 }

// Len returns how many players wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.members)
}

// Here implements [Waitlist].
func (q *Queue) Here() int { return q.Len() }

// Interval implements [Waitlist].
func (q *Queue) Interval() time.Duration { return runInterval }

// Enter makes a player wait. A player who already waits for the same keeps its place, and its earlier request is answered with
// [ErrSuperseded]. A player who asks for something else goes to the end. The error wraps [ErrFull], [ErrParty], rooms.ErrKind,
// rooms.ErrSchema, rooms.ErrOptions or rooms.ErrPlayer.
func (q *Queue) Enter(now time.Time, wish Wish) (*Wait, error) {
	wish, err := wish.Clean(q.seater)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	w := NewWait(wish.Player.ID)
	if m := q.members[wish.Player.ID]; m != nil {
		m.wait.Reply(Answer{Err: ErrSuperseded})
		m.wait.member = nil
		if m.wish.Same(wish) {
			m.wish, m.wait, m.paused = wish, w, time.Time{}
			w.member = m
			return w, nil
		}
		m.wait = nil
		q.remove(m)
	}
	if len(q.members) >= q.config.Most {
		return nil, fmt.Errorf("%w: %d", ErrFull, len(q.members))
	}
	p, err := q.party(wish)
	if err != nil {
		return nil, err
	}
	m := &member{wish: wish, party: p, wait: w, since: now}
	w.member = m
	p.members = append(p.members, m)
	q.members[wish.Player.ID] = m
	return w, nil
}

// Same reports whether two wishes of a player are for the same match.
func (w Wish) Same(b Wish) bool {
	a := w
	return a.Kind == b.Kind && a.Schema == b.Schema && a.Size == b.Size && a.Player.Party == b.Player.Party && keyOf(a.Options) == keyOf(b.Options)
}

// party returns the ticket that a wish belongs to.
func (q *Queue) party(wish Wish) (*party, error) {
	key := partyKey{pool{wish.Kind, wish.Schema}, wish.Player.Party}
	if wish.Size > 1 {
		if p := q.parties[key]; p != nil {
			switch of := p.members[0].wish; {
			case p.size != wish.Size:
				return nil, fmt.Errorf("%w: others of the party say that they are %d, not %d", ErrParty, p.size, wish.Size)
			case len(p.members) == p.size || p.claimed:
				return nil, fmt.Errorf("%w: all %d are here already", ErrParty, p.size)
			case keyOf(of.Options) != keyOf(wish.Options):
				return nil, fmt.Errorf("%w: others of the party ask for other options", ErrParty)
			}
			return p, nil
		}
	}
	q.last++
	p := &party{id: q.last, key: key, size: wish.Size}
	if p.size > 1 {
		q.parties[key] = p
	}
	q.order = append(q.order, p)
	return p, nil
}

// remove removes a player from the queue. The other members of its party wait on.
func (q *Queue) remove(m *member) {
	delete(q.members, m.wish.Player.ID)
	p := m.party
	p.members = slices.DeleteFunc(slices.Clone(p.members), func(x *member) bool { return x == m })
	if len(p.members) == 0 && !p.over {
		q.end(p)
	}
}

// end removes a ticket from the queue.
func (q *Queue) end(p *party) {
	p.over = true
	if q.parties[p.key] == p {
		delete(q.parties, p.key)
	}
}

// Leave removes the player of a request from the queue, unless the player has asked again or has its answer.
func (q *Queue) Leave(w *Wait) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.member != nil {
		q.remove(w.member)
		w.member = nil
	}
}

// Pause keeps the place of a player who is told to ask again for Config.Hold. Until it asks again, it gets no seat. It reports false if
// the player has its answer or is being given a seat.
func (q *Queue) Pause(now time.Time, w *Wait) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.member == nil || w.member.party.claimed {
		return false
	}
	w.member.paused = now.Add(q.config.Hold)
	return true
}

// expire removes players who were told to ask again and did not, and tickets that have ended.
func (q *Queue) expire(now time.Time) {
	for _, p := range q.order {
		for _, m := range slices.Clone(p.members) {
			if !m.paused.IsZero() && now.After(m.paused) {
				m.wait.member = nil
				q.remove(m)
			}
		}
	}
	q.order = slices.DeleteFunc(q.order, func(p *party) bool { return p.over })
}

// tickets returns the complete tickets by kind and schema, oldest first.
func (q *Queue) tickets(now time.Time) (pools []pool, all map[pool][]Ticket, parties map[uint64]*party) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(now)
	slices.SortStableFunc(q.order, func(a, b *party) int { return a.members[0].since.Compare(b.members[0].since) })
	all, parties = make(map[pool][]Ticket), make(map[uint64]*party)
	for _, p := range q.order {
		if !p.whole() {
			continue
		}
		if all[p.key.pool] == nil {
			pools = append(pools, p.key.pool)
		}
		all[p.key.pool] = append(all[p.key.pool], p.ticket(now))
		parties[p.id] = p
	}
	return pools, all, parties
}
