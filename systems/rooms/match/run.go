package match

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Run matches the waiting players, and answers those who got a seat; ctx is for giving seats. Call it once a second. The error wraps
// [ErrMatch] if the Func returned invalid groups; valid groups get their seats nevertheless.
func (q *Queue) Run(ctx context.Context, now time.Time) error {
	q.run.Lock()
	defer q.run.Unlock()
	var errs []error
	pools, all, parties := q.tickets(now)
	for _, p := range pools {
		in := Input{Kind: p.kind, Schema: p.schema, Capacity: q.seater.Capacity(p.kind, p.schema), Tickets: all[p], Rooms: q.seater.Open(p.kind, p.schema)}
		groups, err := q.match(in)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		free := make(map[rooms.ID]int)
		for _, p := range in.Rooms {
			free[p.Room] = p.Free
		}
		var all []*booking
		for _, g := range groups {
			b, err := q.claim(in, g, parties, free)
			if err != nil {
				errs = append(errs, err)
			} else if b != nil {
				all = append(all, b)
			}
		}
		q.seat(ctx, in, all)
		for _, b := range all {
			q.finish(b, parties)
		}
	}
	return errors.Join(errs...)
}

// match calls the game's function, which must not end the process.
func (q *Queue) match(in Input) (groups []Group, err error) {
	defer func() {
		if v := recover(); v != nil {
			groups, err = nil, fmt.Errorf("%w: kind %s: panic: %v\n%s", ErrMatch, in.Kind, v, debug.Stack())
		}
	}()
	return q.config.Match(in), nil
}

// booking is a group that is being given seats.
type booking struct {
	Group
	members []*member
	who     []rooms.Player
	all     []rooms.Admission
	err     error
}

// seat gives seats to the groups, Config.AtOnce of them at a time.
func (q *Queue) seat(ctx context.Context, in Input, all []*booking) {
	Concurrently(q.config.AtOnce, len(all), func(i int) {
		b := all[i]
		w := rooms.Wish{Kind: in.Kind, Options: b.Options, Schema: in.Schema, Players: b.who}
		if w.Options == nil {
			w.Options = b.members[0].wish.Options
		}
		b.all, b.err = q.seater.Seat(ctx, b.Room, w)
	})
}

// finish answers the players of a group, or makes them wait on.
func (q *Queue) finish(b *booking, parties map[uint64]*party) {
	g, members, err := b.Group, b.members, b.err
	q.mu.Lock()
	defer q.mu.Unlock()
	stay := err != nil && waits(err, g.Room)
	for _, id := range g.Tickets {
		p := parties[id]
		p.claimed = false
		if !stay {
			q.end(p)
		}
		if errors.Is(err, rooms.ErrBanned) || errors.Is(err, rooms.ErrSeated) {
			p.refused = append(slices.Clone(p.refused), g.Room)
			p.refused = p.refused[max(len(p.refused)-mostRefused, 0):]
		}
		if len(p.members) == 0 {
			q.end(p)
		}
	}
	if stay {
		return
	}
	for i, m := range members {
		if q.members[m.wish.Player.ID] != m {
			continue // it has left meanwhile: the seat is free again when its promise expires
		}
		delete(q.members, m.wish.Player.ID)
		a := Answer{Err: err}
		if err == nil {
			a.Admission = b.all[i]
		}
		m.wait.Reply(a)
		m.wait.member = nil
	}
}

// waits reports whether players who got no seats wait on, for another room or for free capacity.
func waits(err error, room rooms.ID) bool {
	return room != 0 || errors.Is(err, rooms.ErrRooms) || errors.Is(err, rooms.ErrFull) || errors.Is(err, rooms.ErrUnavailable)
}

// claim claims the tickets of a group, and its seats among the free ones. It returns nil if one of the tickets has ended meanwhile.
func (q *Queue) claim(in Input, g Group, parties map[uint64]*party, free map[rooms.ID]int) (*booking, error) {
	bad := func(format string, v ...any) error {
		return fmt.Errorf("%w: kind %s: a group of tickets %v for room %v: "+format, append([]any{ErrMatch, in.Kind, g.Tickets, g.Room}, v...)...)
	}
	left, open := free[g.Room]
	switch {
	case len(g.Tickets) == 0:
		return nil, bad("nobody is in it")
	case g.Room == 0:
		left = in.Capacity
	case !open:
		return nil, bad("no such room is open; give one of Input.Rooms, or 0 for a new one")
	}
	b := &booking{Group: g}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, id := range g.Tickets {
		p := parties[id]
		switch {
		case p == nil || p.key.pool != pool{in.Kind, in.Schema}:
			return nil, bad("nobody has ticket %d", id)
		case slices.Contains(g.Tickets[:i], id):
			return nil, bad("ticket %d is in it twice", id)
		case !p.whole():
			return nil, nil // it was seated, or has gone
		}
		b.members = append(b.members, p.members...)
	}
	if len(b.members) > left {
		return nil, bad("%d players for %d seats", len(b.members), left)
	}
	for _, m := range b.members {
		b.who = append(b.who, m.wish.Player)
	}
	if g.Room != 0 {
		free[g.Room] -= len(b.who)
	}
	for _, id := range g.Tickets {
		parties[id].claimed = true
	}
	return b, nil
}

// Concurrently calls f for 0 to n-1, most calls at a time. If most is 1, it calls f on the caller's goroutine.
func Concurrently(most, n int, f func(i int)) {
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
