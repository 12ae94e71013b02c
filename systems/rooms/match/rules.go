package match

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultSkill    = "skill"
	defaultWindow   = 100
	defaultWiden    = 20
	defaultLeast    = 2
	defaultPatience = 10 * time.Second
	// mostLooked is how many of the nearest tickets are considered for a group.
	mostLooked = 256
)

// ErrRules is wrapped by the errors of [Rules.Validate].
var ErrRules = errors.New("match: rules")

// Rules match players of similar skill, within a window that widens while they wait. The skill of a party is the mean of its members; a
// player without a skill has 0. Open rooms are filled first, the fullest room before others. A room that publishes a skill gets only
// parties with that skill in their window. The remaining players who ask for the same options share a new room, which publishes the
// mean of their skills, as soon as they fill it or one of them has waited for Patience.
type Rules struct {
	// Skill is the name of the property. Default (""): "skill".
	Skill string
	// Window is the largest difference of skills in a room, for new tickets. Default (0): 100.
	Window float64
	// Widen is how much the window grows per second of waiting. Default (0): 20.
	Widen float64
	// Least is the smallest number of players in a new room, limited by its capacity. Default (0): 2.
	Least int
	// Patience is how long players wait until a new room is full. Default (0): 10 s; negative: not at all.
	Patience time.Duration
}

// Validate returns an error that wraps [ErrRules] if a field is negative or not a number.
func (r Rules) Validate() error {
	for name, v := range map[string]float64{"Window": r.Window, "Widen": r.Widen} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: %s is %v", ErrRules, name, v)
		}
	}
	if r.Least < 0 {
		return fmt.Errorf("%w: Least is %d", ErrRules, r.Least)
	}
	return nil
}

// seeker is a ticket with its skill.
type seeker struct {
	*Ticket
	size   int
	skill  float64
	has    bool
	window float64
	key    string // of its options
	used   bool
	before *seeker // by skill, among the unused ones
	after  *seeker
}

// Match implements [Func]. It panics where [Rules.Validate] returns an error.
func (r Rules) Match(in Input) []Group {
	if err := r.Validate(); err != nil {
		panic(err)
	}
	r.Skill, r.Window, r.Widen = cmp.Or(r.Skill, defaultSkill), cmp.Or(r.Window, defaultWindow), cmp.Or(r.Widen, defaultWiden)
	r.Least, r.Patience = min(cmp.Or(r.Least, defaultLeast), in.Capacity), cmp.Or(r.Patience, defaultPatience)
	all := make([]seeker, len(in.Tickets))
	for i := range all {
		t := &in.Tickets[i]
		skill, has := t.Mean(r.Skill)
		all[i] = seeker{Ticket: t, size: len(t.Players), skill: skill, has: has, window: r.Window + r.Widen*t.Age.Seconds(), key: keyOf(t.Options)}
	}
	groups := r.fillRooms(all, in.Rooms)
	pools := make(map[string][]*seeker)
	var keys []string
	for i := range all {
		if t := &all[i]; !t.used {
			if pools[t.key] == nil {
				keys = append(keys, t.key)
			}
			pools[t.key] = append(pools[t.key], t)
		}
	}
	for _, key := range keys {
		groups = append(groups, r.groupTickets(pools[key], in.Capacity)...)
	}
	return groups
}

// keyOf returns the same text for equal options.
func keyOf(o rooms.Options) string {
	if len(o) == 0 {
		return ""
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(o)) {
		fmt.Fprintf(&b, "%q %T %v\x00", k, o[k], o[k])
	}
	return b.String()
}

// fillRooms assigns tickets to open rooms, oldest first.
func (r Rules) fillRooms(all []seeker, places []Place) (groups []Group) {
	places = slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return p.Free <= 0 })
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(a.Free, b.Free) })
	fits := make(map[string]map[rooms.ID]bool) // which rooms have the options of a key
	for i := range all {
		t := &all[i]
		if len(places) == 0 {
			break
		}
		has := fits[t.key]
		if has == nil {
			has = make(map[rooms.ID]bool)
			for _, p := range places {
				has[p.Room] = p.Options.Has(t.Options)
			}
			fits[t.key] = has
		}
		at := slices.IndexFunc(places, func(p Place) bool {
			return p.Free >= t.size && has[p.Room] && r.near(t, p) && !slices.Contains(t.Refused, p.Room)
		})
		if at < 0 {
			continue
		}
		t.used = true
		groups = append(groups, Group{Tickets: []uint64{t.ID}, Room: places[at].Room})
		places[at].Free -= t.size
		for ; at > 0 && places[at-1].Free > places[at].Free; at-- {
			places[at-1], places[at] = places[at], places[at-1]
		}
		if places[0].Free == 0 {
			places = places[1:]
		}
	}
	return groups
}

// near reports whether the skill of a room is in the window of a ticket.
func (r Rules) near(t *seeker, p Place) bool {
	skill, ok := p.Options[r.Skill].(float64)
	return !ok || math.Abs(skill-t.skill) <= t.window
}

// groupTickets groups tickets with the same options, starting with the oldest.
func (r Rules) groupTickets(pool []*seeker, capacity int) (groups []Group) {
	bySkill := slices.Clone(pool)
	slices.SortStableFunc(bySkill, func(a, b *seeker) int { return cmp.Compare(a.skill, b.skill) })
	for i, t := range bySkill {
		if i > 0 {
			t.before, bySkill[i-1].after = bySkill[i-1], t
		}
	}
	for _, first := range pool {
		if first.used {
			continue
		}
		members, n := gather(first, capacity)
		if n < capacity && (first.Age < r.Patience || n < r.Least) {
			continue
		}
		g := Group{}
		sum, count := 0.0, 0
		for _, t := range members {
			t.markUsed()
			g.Tickets = append(g.Tickets, t.ID)
			if t.has {
				sum, count = sum+t.skill*float64(t.size), count+t.size
			}
		}
		if _, asked := first.Options[r.Skill]; count > 0 && !asked {
			g.Options = maps.Clone(first.Options)
			if g.Options == nil {
				g.Options = rooms.Options{}
			}
			g.Options[r.Skill] = math.Round(sum / float64(count))
		}
		groups = append(groups, g)
	}
	return groups
}

// gather collects the tickets with the nearest skills, as long as there are seats and all skills are in the windows of all members.
func gather(first *seeker, capacity int) (members []*seeker, n int) {
	members, n = append(members, first), first.size
	low, high, window := first.skill, first.skill, first.window
	before, after := first.before, first.after
	for looked := 0; n < capacity && looked < mostLooked; looked++ {
		next := after
		if next == nil || before != nil && first.skill-before.skill <= next.skill-first.skill {
			next = before
		}
		if next == nil || math.Abs(next.skill-first.skill) > first.window {
			break
		}
		if next == before {
			before = before.before
		} else {
			after = after.after
		}
		least, most, narrow := min(low, next.skill), max(high, next.skill), min(window, next.window)
		if n+next.size <= capacity && most-least <= narrow {
			members, n = append(members, next), n+next.size
			low, high, window = least, most, narrow
		}
	}
	return members, n
}

// markUsed removes a ticket from the list of the unused ones.
func (t *seeker) markUsed() {
	t.used = true
	if t.before != nil {
		t.before.after = t.after
	}
	if t.after != nil {
		t.after.before = t.before
	}
}
