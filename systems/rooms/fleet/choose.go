package fleet

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

// creatingTimeout is how long a requested room may take to appear in the directory.
const creatingTimeout = 300 * time.Millisecond

// target is a process to ask for seats.
type target struct {
	process *process
	room    *room // nil: a new room
	seats   int
}

// choose returns where players get seats: in an open room, or in a new one if none fits or create is set. It omits the
// processes in tried. Call asked with the result.
func (v *view) choose(w *rooms.Wish, create bool, tried map[string]bool, now time.Time) (target, error) {
	ranks := v.rankSchemas(w.Kind)
	fits := func(p *process) bool {
		if p.Process == v.own {
			return !tried[p.Process] && !v.named
		}
		return !tried[p.Process] && (p.silent == 0 || p.silent != p.revision)
	}
	var best *room
	if !create {
		for _, x := range v.rooms {
			p := v.processes[x.Process]
			if p == nil || x.Kind != w.Kind || w.Schema != "" && x.Schema != w.Schema || !x.Takes() || x.freeSeats() < len(w.Players) || x.ID == w.Leaves {
				continue
			}
			if !v.alive(x) || !fits(p) || !x.Options.Has(w.Options) {
				continue
			}
			if best == nil || v.preferRoom(x, best, ranks) {
				best = x
			}
		}
	}
	to := target{room: best, seats: len(w.Players)}
	if best != nil {
		to.process = v.processes[best.Process]
		best.requested += to.seats
	} else {
		var err error
		if to.process, err = v.chooseCreator(w, create, fits, ranks, now); err != nil {
			return target{}, err
		}
	}
	to.process.requested += to.seats
	return to, nil
}

// others returns the names of the other processes that have a kind and are not silent, in order.
func (v *view) others(kind, schema string) (all []string) {
	for name, p := range v.processes {
		if name != v.own && p.kind(kind, schema) != nil && (p.silent == 0 || p.silent != p.revision) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// asked records the end of a request for the seats of choose.
func (v *view) asked(to target, given bool) {
	to.process.requested -= to.seats
	if to.room != nil {
		to.room.requested -= to.seats
		if given {
			to.room.given += to.seats
		}
	}
}

// freeSeats returns the number of free seats, as far as this process knows.
func (x *room) freeSeats() int { return x.Free - x.requested - x.given }

// preferRoom reports whether room x is better than y: it has a newer schema, is fuller, or is in this process.
func (v *view) preferRoom(x, y *room, ranks map[string]int) bool {
	return cmp.Or(
		cmp.Compare(ranks[x.Schema], ranks[y.Schema]),
		cmp.Compare(x.freeSeats(), y.freeSeats()),
		cmp.Compare(v.distance(x.Process), v.distance(y.Process)),
		cmp.Compare(x.ID, y.ID),
	) < 0
}

// distance returns 0 for this process and 1 for any other.
func (v *view) distance(process string) int {
	if process == v.own {
		return 0
	}
	return 1
}

// rankSchemas returns the rank of each schema of a kind. Rank 0 is the schema of the most recently started process.
func (v *view) rankSchemas(kind string) map[string]int {
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

// creatingRoom is a requested room that is not in the directory yet.
type creatingRoom struct {
	process string
	free    int // seats
	until   time.Time
}

// chooseCreator returns the process that creates a room: the newest schema first, then the fewest players. Players who join
// meanwhile go to the same process as long as the new room has seats for them.
func (v *view) chooseCreator(w *rooms.Wish, create bool, fits func(p *process) bool, ranks map[string]int, now time.Time) (*process, error) {
	options, err := json.Marshal(w.Options) // with sorted keys
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rooms.ErrOptions, err)
	}
	key := w.Kind + " " + w.Schema + " " + string(options)
	if c := v.creating[key]; !create && c != nil && c.free >= len(w.Players) && now.Before(c.until) {
		if p := v.processes[c.process]; p != nil && fits(p) && !p.Draining {
			c.free -= len(w.Players)
			return p, nil
		}
	}
	best, err := v.leastLoaded(w, fits, ranks)
	if err == nil && !create {
		v.creating[key] = &creatingRoom{best.Process, best.kind(w.Kind, w.Schema).Capacity - len(w.Players), now.Add(creatingTimeout)}
	}
	return best, err
}

// leastLoaded returns the process with the fewest players among those that can create a room.
func (v *view) leastLoaded(w *rooms.Wish, fits func(p *process) bool, ranks map[string]int) (*process, error) {
	var best *process
	var why error
	refuse := func(err error) {
		if why == nil || errorRank(err) > errorRank(why) {
			why = err
		}
	}
	for _, p := range v.processes {
		k := p.kind(w.Kind, w.Schema)
		switch {
		case k == nil && p.kind(w.Kind, "") == nil:
			refuse(fmt.Errorf("%w: %.40q", rooms.ErrKind, w.Kind))
		case k == nil && !p.Draining:
			refuse(fmt.Errorf("%w: %s, %.40q", rooms.ErrSchema, w.Kind, w.Schema))
		case p.Draining: // with any schema
			refuse(rooms.ErrDraining)
		case len(w.Players) > k.Capacity:
			refuse(rooms.ErrFull)
		case p.MaxRooms > 0 && p.Rooms >= p.MaxRooms:
			refuse(rooms.ErrRooms)
		case !fits(p):
			refuse(&rooms.Unavailable{Again: time.Second, Err: errSilent})
		case best == nil || v.preferProcess(p, best, w.Kind, ranks):
			best = p
		}
	}
	if best != nil {
		return best, nil
	}
	if why == nil {
		why = &rooms.Unavailable{Again: time.Second, Err: errNoProcess}
	}
	return nil, why
}

// errorRank orders the reasons why there is no room. The most informative reason has the highest rank. If only draining
// processes have a schema, the client is outdated, because a retry does not help.
func errorRank(err error) int {
	for i, x := range []error{rooms.ErrKind, rooms.ErrDraining, rooms.ErrSchema, rooms.ErrFull, rooms.ErrRooms} {
		if errors.Is(err, x) {
			return i
		}
	}
	return 5
}

// preferProcess reports whether process p is better than q for a new room.
func (v *view) preferProcess(p, q *process, kind string, ranks map[string]int) bool {
	return cmp.Or(
		cmp.Compare(ranks[p.kind(kind, "").Schema], ranks[q.kind(kind, "").Schema]),
		cmp.Compare(p.taken+p.requested, q.taken+q.requested),
		cmp.Compare(v.distance(p.Process), v.distance(q.Process)),
		cmp.Compare(p.Process, q.Process),
	) < 0
}
