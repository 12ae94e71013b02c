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
	// Match says who gets into which room. Default (nil): Rules{}.Match.
	Match Func
	// Most is how many players may wait at once. Default (0): 10,000.
	Most int
	// Hold is for how long the place of a player is kept who was told to ask again. Default (0): 5 s.
	Hold time.Duration
	// AtOnce is how many groups are given seats at the same time: more than one where that takes a while, as in rooms of
	// other processes. Default (0): 1, one after the other in the order of groups.
	AtOnce int
}

// Seater gives seats to who was matched.
type Seater interface {
	// Capacity is how many seats a room of a kind has, for clients with a schema ("": any), 0 where there is no such kind.
	Capacity(kind, schema string) int
	// Open are the rooms of a kind that are open to anybody with such a client, in the order of their creation.
	Open(kind, schema string) []Place
	// Seat gives the players of a wish seats in a room, 0 for a new one with its options: all or none, in their order. The
	// error is as that of rooms.Seats.
	Seat(ctx context.Context, room rooms.ID, w rooms.Wish) ([]rooms.Admission, error)
}

// Queue is who waits. Its methods may be called from any goroutine.
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

// New makes a queue for whom seats come from s.
func New(c Config, s Seater) *Queue {
	return &Queue{config: c.filled(), seater: s, members: make(map[uint64]*member), parties: make(map[partyKey]*party)}
}

// filled is c with the documented defaults in place of zeros.
func (c Config) filled() Config {
	if c.Match == nil {
		c.Match = Rules{}.Match
	}
	c.Most, c.Hold = cmp.Or(c.Most, defaultMost), cmp.Or(c.Hold, defaultHold)
	c.AtOnce = max(c.AtOnce, 1)
	return c
}

// Busy reports whether there is anything for Run to do: somebody waits.
func (q *Queue) Busy() bool { return q.Len() > 0 }

// Len is how many players wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.members)
}

// Enter makes a player wait. One who waits for the same already keeps its place, and its request of before is answered
// with [ErrSuperseded]; one who asks for something else goes to the end. The error wraps [ErrFull], [ErrParty],
// rooms.ErrKind, rooms.ErrSchema, rooms.ErrOptions or rooms.ErrPlayer.
func (q *Queue) Enter(now time.Time, wish Wish) (*Wait, error) {
	wish, err := wish.clean(q.seater)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &Wait{answer: make(chan Answer, 1)}
	if m := q.members[wish.Player.ID]; m != nil {
		m.wait.answer <- Answer{Err: ErrSuperseded}
		m.wait.member = nil
		if same(m.wish, wish) {
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

// same reports whether a player asks for what it waits for.
func same(a, b Wish) bool {
	return a.Kind == b.Kind && a.Schema == b.Schema && a.Size == b.Size && a.Player.Party == b.Player.Party && keyOf(a.Options) == keyOf(b.Options)
}

// party is the ticket that a wish belongs to.
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

// remove takes a player out of the queue; the others of its party wait on.
func (q *Queue) remove(m *member) {
	delete(q.members, m.wish.Player.ID)
	p := m.party
	p.members = slices.DeleteFunc(slices.Clone(p.members), func(x *member) bool { return x == m })
	if len(p.members) == 0 && !p.over {
		q.end(p)
	}
}

// end takes a ticket out of the queue.
func (q *Queue) end(p *party) {
	p.over = true
	if q.parties[p.key] == p {
		delete(q.parties, p.key)
	}
}

// Leave takes the player of a request out of the queue, unless it has asked again, or has its answer.
func (q *Queue) Leave(w *Wait) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.member != nil {
		q.remove(w.member)
		w.member = nil
	}
}

// Pause keeps the place of a player for Config.Hold, in which it is told to ask again: until then it gets no seat. It
// reports false where the answer is there already.
func (q *Queue) Pause(now time.Time, w *Wait) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.member == nil || w.member.party.claimed {
		return false
	}
	w.member.paused = now.Add(q.config.Hold)
	return true
}

// expire takes those out who were told to ask again and did not, and what is over.
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

// tickets are the tickets that are whole, by kind and schema, in the order in which they came.
func (q *Queue) tickets(now time.Time) (pools []pool, all map[pool][]Ticket, parties map[uint64]*party) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(now)
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
