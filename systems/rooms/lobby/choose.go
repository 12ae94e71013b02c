package lobby

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// makeTime is for how long a room is awaited in the directory that was asked for.
const makeTime = 300 * time.Millisecond

// target is where players are to get their seats.
type target struct {
	process *process
	room    *room // nil: a new one
	seats   int
}

// choose chooses where players get seats: in an open room, or a new one; anew: in a new one. Processes that were tried are
// left out. With the lock.
func (v *view) choose(w *rooms.Wish, anew bool, tried map[string]bool, now time.Time) (target, error) {
	newest := v.newest(w.Kind)
	fits := func(p *process) bool {
		if p.Process == v.own {
			return !tried[p.Process] && !v.named
		}
		return !tried[p.Process] && !now.Before(v.down) && (p.silent == 0 || p.silent != p.revision)
	}
	var best *room
	if !anew {
		for _, x := range v.rooms {
			p := v.processes[x.Process]
			if p == nil || x.Kind != w.Kind || w.Schema != "" && x.Schema != w.Schema || !x.Takes() || x.left() < len(w.Players) {
				continue
			}
			if !v.alive(x) || !fits(p) || !x.Options.Has(w.Options) {
				continue
			}
			if best == nil || v.before(x, best, newest) {
				best = x
			}
		}
	}
	to := target{room: best, seats: len(w.Players)}
	if best != nil {
		to.process = v.processes[best.Process]
		best.asked += to.seats
	} else {
		var err error
		if to.process, err = v.maker(w, anew, fits, newest, now); err != nil {
			return target{}, err
		}
	}
	to.process.asked += to.seats
	return to, nil
}

// settled ends what choose began: the seats were given, or not.
func (v *view) settled(to target, given bool) {
	to.process.asked -= to.seats
	if to.room != nil {
		to.room.asked -= to.seats
		if given {
			to.room.given += to.seats
		}
	}
}

// left is how many seats are free, as far as is known.
func (x *room) left() int { return x.Free - x.asked - x.given }

// before reports whether a room is better than another one: of a newer schema, fuller, here.
func (v *view) before(x, y *room, newest map[string]int) bool {
	return cmp.Or(
		cmp.Compare(newest[x.Schema], newest[y.Schema]),
		cmp.Compare(x.left(), y.left()),
		cmp.Compare(v.far(x.Process), v.far(y.Process)),
		cmp.Compare(x.ID, y.ID),
	) < 0
}

// far is 0 for this process, 1 for others.
func (v *view) far(process string) int {
	if process == v.own {
		return 0
	}
	return 1
}

// newest are the schemas of a kind: 0 for the one of the process that has started last, and so on.
func (v *view) newest(kind string) map[string]int {
	started := make(map[string]time.Time)
	for _, p := range v.processes {
		if k := p.kind(kind, ""); k != nil {
			if at, ok := started[k.Schema]; !ok || p.Started.After(at) {
				started[k.Schema] = p.Started
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(started), func(a, b string) int { return cmp.Or(started[b].Compare(started[a]), cmp.Compare(a, b)) })
	ranks := make(map[string]int, len(order))
	for i, schema := range order {
		ranks[schema] = i
	}
	return ranks
}

// making is a room that was asked for, and that the directory does not show yet.
type making struct {
	process string
	left    int // seats
	until   time.Time
}

// maker is the process that is to make a room: of the newest schema, with the fewest players. Those who join while it is
// being made go to the same process, as long as it has place for them.
func (v *view) maker(w *rooms.Wish, anew bool, fits func(p *process) bool, newest map[string]int, now time.Time) (*process, error) {
	options, err := json.Marshal(w.Options) // in the order of keys
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rooms.ErrOptions, err)
	}
	key := w.Kind + " " + w.Schema + " " + string(options)
	if m := v.making[key]; !anew && m != nil && m.left >= len(w.Players) && now.Before(m.until) {
		if p := v.processes[m.process]; p != nil && fits(p) && !p.Draining {
			m.left -= len(w.Players)
			return p, nil
		}
	}
	best, err := v.lightest(w, fits, newest, now)
	if err == nil && !anew {
		v.making[key] = &making{best.Process, best.kind(w.Kind, w.Schema).Capacity - len(w.Players), now.Add(makeTime)}
	}
	return best, err
}

// lightest is the process with the fewest players of those that can make a room.
func (v *view) lightest(w *rooms.Wish, fits func(p *process) bool, newest map[string]int, now time.Time) (*process, error) {
	var best *process
	var why error
	refuse := func(weight error) {
		if why == nil || errorRank(weight) > errorRank(why) {
			why = weight
		}
	}
	for _, p := range v.processes {
		k := p.kind(w.Kind, w.Schema)
		switch {
		case k == nil && p.kind(w.Kind, "") == nil:
			refuse(fmt.Errorf("%w: %.40q", rooms.ErrKind, w.Kind))
		case k == nil && !p.Draining:
			refuse(fmt.Errorf("%w: %s, %.40q", rooms.ErrSchema, w.Kind, w.Schema))
		case p.Draining: // of either schema
			refuse(rooms.ErrDraining)
		case len(w.Players) > k.Capacity:
			refuse(rooms.ErrFull)
		case p.MaxRooms > 0 && p.Rooms >= p.MaxRooms:
			refuse(rooms.ErrRooms)
		case !fits(p):
			refuse(&rooms.Unavailable{Again: max(v.down.Sub(now), time.Second), Err: errSilent})
		case best == nil || v.lighter(p, best, w.Kind, newest):
			best = p
		}
	}
	if best != nil {
		return best, nil
	}
	if why == nil {
		why = &rooms.Unavailable{Again: time.Second, Err: errNobody}
	}
	return nil, why
}

// errorRank orders why there is no room: what says most about the others comes last. Who speaks a schema that is spoken by
// processes alone that drain is told that it is too old: to try again leads nowhere.
func errorRank(err error) int {
	for i, x := range []error{rooms.ErrKind, rooms.ErrDraining, rooms.ErrSchema, rooms.ErrFull, rooms.ErrRooms} {
		if errors.Is(err, x) {
			return i
		}
	}
	return 5
}

// lighter reports whether a process is better for a new room than another one.
func (v *view) lighter(p, q *process, kind string, newest map[string]int) bool {
	return cmp.Or(
		cmp.Compare(newest[p.kind(kind, "").Schema], newest[q.kind(kind, "").Schema]),
		cmp.Compare(p.taken+p.asked, q.taken+q.asked),
		cmp.Compare(v.far(p.Process), v.far(q.Process)),
		cmp.Compare(p.Process, q.Process),
	) < 0
}
