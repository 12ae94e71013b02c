package match

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/systemstest"
)

var birth = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// hall is rooms without worlds. It records who is seated where.
type hall struct {
	t        *testing.T
	now      time.Time
	capacity map[string]int
	rooms    []*fake
	last     rooms.ID
	banned   map[string]bool // player and room
	fail     error           // of new rooms
	log      strings.Builder
	refused  int // how often somebody was banned
	check    func(kind string, room *fake, who []rooms.Player)
}

// fake is one.
type fake struct {
	Place
	kind   string
	schema string
	who    []rooms.Player
}

func (h *hall) Capacity(kind, schema string) int {
	if schema == "gone" {
		return 0
	}
	return h.capacity[kind]
}

func (h *hall) Open(kind, schema string) (all []Place) {
	for _, r := range h.rooms {
		if r.kind == kind && r.schema == schema {
			all = append(all, r.Place)
		}
	}
	return all
}

func (h *hall) Seat(_ context.Context, id rooms.ID, w rooms.Wish) (all []rooms.Admission, err error) {
	kind, o, who := w.Kind, w.Options, w.Players
	var r *fake
	if id == 0 {
		if h.fail != nil {
			return nil, h.fail
		}
		h.last++
		r = &fake{Place{h.last, h.capacity[kind], o}, kind, w.Schema, nil}
	} else {
		r = h.rooms[slices.IndexFunc(h.rooms, func(r *fake) bool { return r.Room == id })]
	}
	if h.check != nil {
		h.check(kind, r, who)
	}
	for _, p := range who {
		if h.banned[fmt.Sprint(p.ID, r.Room)] {
			h.refused++
			return nil, rooms.ErrBanned
		}
	}
	if r.Free -= len(who); r.Free < 0 {
		h.t.Fatalf("room %v of %d seats has no place for %v", r.Room, h.capacity[kind], who)
	}
	if id == 0 {
		h.rooms = append(h.rooms, r)
	}
	r.who = append(r.who, who...)
	for _, p := range who {
		all = append(all, rooms.Admission{Kind: kind, Seat: rooms.Seat{Room: r.Room, Player: p.ID, Party: p.Party}})
	}
	fmt.Fprintln(&h.log, kind, r.Room, who)
	return all, nil
}

// run runs the queue and expects no error.
func (h *hall) run(q *Queue) {
	h.t.Helper()
	h.now = h.now.Add(time.Second)
	if err := q.Run(context.Background(), h.now); err != nil {
		h.t.Fatal(err)
	}
}

func newHall(t *testing.T) *hall {
	return &hall{t: t, now: birth, capacity: map[string]int{"duel": 2, "field": 8}, banned: map[string]bool{}}
}

// enter makes a player wait, with a skill.
func (h *hall) enter(q *Queue, player, party uint64, size int, skill float64) *Wait {
	h.t.Helper()
	w, err := q.Enter(h.now, Wish{Kind: "field", Player: rooms.Player{ID: player, Party: party}, Size: size, Properties: rooms.Options{"skill": skill}})
	if err != nil {
		h.t.Fatal(err)
	}
	return w
}

// got returns the answer if there is one, and otherwise nil.
func got(w *Wait) *Answer {
	select {
	case a := <-w.Answer():
		return &a
	default:
		return nil
	}
}

// Players join, leave and ask again in any order: nobody gets two seats, parties are in one room, all players in a new room
// are in each other's window, players go to the fullest fitting room, and nobody waits while there is one, or longer than
// Patience while there are others to play with. The same seed gives the same result.
func TestQueueCampaign(t *testing.T) {
	systemstest.Seeds(t, 40, func(t *testing.T, seed uint64) {
		first, second := campaign(t, seed), campaign(t, seed)
		if first != second || !strings.Contains(first, "\n") {
			t.Errorf("the same seed seats others, or nobody:\n%s\n%s", first, second)
		}
	})
}

// one is a player of a campaign.
type one struct {
	wish  Wish
	wait  *Wait
	since time.Time
}

func campaign(t *testing.T, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 17))
	h := newHall(t)
	rules := Rules{Window: 50, Widen: 10}
	q := New(Config{Most: 150}, h)
	q.config.Match = rules.Match
	waiting := make(map[uint64]*one)
	refused := 0 // before this run
	window := func(since time.Time) float64 { return 50 + 10*h.now.Sub(since).Seconds() }
	parties := func(kind string) (all [][]*one) { // that are whole, as the test knows them
		of := make(map[uint64][]*one)
		for _, id := range slices.Sorted(maps.Keys(waiting)) {
			x := waiting[id]
			if x.wish.Kind != kind || x.wait == nil {
				continue
			}
			if x.wish.Size == 1 {
				all = append(all, []*one{x})
			} else if of[x.wish.Player.Party] = append(of[x.wish.Player.Party], x); len(of[x.wish.Player.Party]) == x.wish.Size {
				all = append(all, of[x.wish.Player.Party])
			}
		}
		return all
	}
	skill := func(p []*one) (mean float64, since time.Time) {
		since = p[0].since
		for _, x := range p {
			mean += x.wish.Properties["skill"].(float64) / float64(len(p))
			if x.since.Before(since) {
				since = x.since
			}
		}
		return mean, since
	}
	fits := func(r *fake, p []*one) bool {
		mean, since := skill(p)
		published, ok := r.Options["skill"].(float64)
		if r.kind != p[0].wish.Kind || r.Free < len(p) || !r.Options.Has(p[0].wish.Options) || ok && math.Abs(published-mean) > window(since)+1e-9 {
			return false
		}
		return !slices.ContainsFunc(p, func(x *one) bool { return h.banned[fmt.Sprint(x.wish.Player.ID, r.Room)] })
	}
	h.check = func(kind string, r *fake, who []rooms.Player) {
		var members []*one
		for _, p := range who {
			members = append(members, waiting[p.ID])
		}
		if len(r.who) == 0 { // a new one
			low, high, narrow := math.Inf(1), math.Inf(-1), math.Inf(1)
			for _, p := range parties(kind) {
				if slices.Contains(members, p[0]) {
					mean, since := skill(p)
					low, high, narrow = min(low, mean), max(high, mean), min(narrow, window(since))
					if !r.Options.Has(p[0].wish.Options) {
						t.Errorf("a room with %v for who asks for %v", r.Options, p[0].wish.Options)
					}
				}
			}
			if high-low > narrow+1e-9 || len(who) < 2 {
				t.Errorf("%d players from %v to %v, where a window is %v", len(who), low, high, narrow)
			}
			return
		}
		if len(members) != members[0].wish.Size {
			t.Errorf("a part of a party: %v", who)
		}
		banned := slices.ContainsFunc(who, func(p rooms.Player) bool { return h.banned[fmt.Sprint(p.ID, r.Room)] })
		if !banned && !fits(r, members) {
			t.Errorf("room %+v is not for %v", r, who)
		}
		for _, other := range h.rooms {
			if h.refused == refused && other.Free < r.Free && fits(other, members) { // who is refused leaves a seat free
				t.Errorf("room %v with %d free seats, while %v has %d", r.Room, r.Free, other.Room, other.Free)
			}
		}
	}
	next, party := uint64(0), uint64(0)
	enter := func(x *one) {
		w, err := q.Enter(h.now, x.wish)
		if errors.Is(err, ErrFull) && len(waiting) >= 150 {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		x.wait = w
		waiting[x.wish.Player.ID] = x
	}
	for range 60 {
		for range rng.IntN(12) {
			kind, size := []string{"duel", "field"}[rng.IntN(2)], 1
			options := []rooms.Options{nil, {"map": "dust"}, {"map": "mill", "hard": true}}[rng.IntN(3)]
			party++
			if rng.IntN(3) == 0 {
				size = 1 + rng.IntN(h.capacity[kind])
			}
			for range size - rng.IntN(6)/5 { // somebody may be missing
				next++
				w := Wish{Kind: kind, Size: size, Options: options, Player: rooms.Player{ID: next}, Properties: rooms.Options{"skill": float64(rng.IntN(600))}}
				if size > 1 {
					w.Player.Party = party
				}
				enter(&one{wish: w, since: h.now})
			}
		}
		for _, id := range slices.Sorted(maps.Keys(waiting)) {
			switch x := waiting[id]; rng.IntN(20) {
			case 0:
				if x.wait != nil {
					q.Leave(x.wait)
					delete(waiting, id)
				}
			case 1:
				if x.wait != nil && q.Pause(h.now, x.wait) {
					x.wait = nil // it asks again, or it does not
				}
			case 2, 3, 4:
				if x.wait == nil {
					enter(x)
				}
			}
		}
		if len(h.rooms) > 0 {
			r := h.rooms[rng.IntN(len(h.rooms))]
			switch rng.IntN(3) {
			case 0:
				h.rooms = slices.DeleteFunc(h.rooms, func(x *fake) bool { return x == r })
			case 1:
				r.Free = min(r.Free+rng.IntN(3), h.capacity[r.kind])
			}
			for range 3 {
				h.banned[fmt.Sprint(rng.Uint64N(next+1), r.Room)] = true
			}
		}
		refused = h.refused
		h.run(q)
		in := make(map[uint64]rooms.ID)
		for _, id := range slices.Sorted(maps.Keys(waiting)) {
			x := waiting[id]
			if x.wait == nil {
				if q.members[id] == nil {
					delete(waiting, id) // it did not ask again in time
				}
				continue
			}
			if a := got(x.wait); a != nil {
				if a.Err != nil || a.Admission.Seat.Player != id {
					t.Fatalf("player %d: %+v", id, a)
				}
				if p := x.wish.Player.Party; p != 0 {
					if r, ok := in[p]; ok && r != a.Admission.Seat.Room {
						t.Errorf("party %d in two rooms", p)
					}
					in[p] = a.Admission.Seat.Room
				}
				delete(waiting, id)
			}
		}
		if q.Len() != len(waiting) {
			t.Fatalf("%d wait, and %d should", q.Len(), len(waiting))
		}
		for _, kind := range []string{"duel", "field"} {
			all := parties(kind)
			for i, p := range all {
				if in[p[0].wish.Player.Party] != 0 && p[0].wish.Size > 1 {
					t.Errorf("a part of party %d waits on", p[0].wish.Player.Party)
				}
				mean, since := skill(p)
				for _, r := range h.rooms {
					if refused == h.refused && fits(r, p) && h.now.Sub(since) > 0 && !fresh(r, h) {
						t.Errorf("%v waits, and room %+v is open", p[0].wish, r.Place)
					}
				}
				for _, o := range all[:i] {
					other, from := skill(o)
					if refused == h.refused && keyOf(o[0].wish.Options) == keyOf(p[0].wish.Options) && len(o)+len(p) <= h.capacity[kind] && math.Abs(mean-other) <= min(window(since), window(from)) &&
						h.now.Sub(since) >= defaultPatience && h.now.Sub(from) >= defaultPatience {
						t.Errorf("%v and %v wait for each other", o[0].wish, p[0].wish)
					}
				}
			}
		}
	}
	return h.log.String()
}

// fresh reports whether the latest run created a room, after it had tried the waiting players.
func fresh(r *fake, h *hall) bool {
	return strings.Count(h.log.String(), fmt.Sprintf(" %v [", r.Room)) == 1
}

// A party waits for all its members. If one leaves, it waits for another one.
func TestPartyIsWhole(t *testing.T) {
	h := newHall(t)
	q := New(Config{Match: Rules{Patience: -1}.Match}, h)
	a, b := h.enter(q, 1, 9, 3, 0), h.enter(q, 2, 9, 3, 0)
	h.run(q)
	c := h.enter(q, 3, 9, 3, 0)
	q.Leave(b)
	h.run(q)
	if got(a) != nil || got(b) != nil || got(c) != nil {
		t.Fatal("a part of a party has seats")
	}
	for want, wish := range map[string]Wish{
		"that they are 3": {Kind: "field", Player: rooms.Player{ID: 5, Party: 9}, Size: 2},
		"other options":   {Kind: "field", Player: rooms.Player{ID: 5, Party: 9}, Size: 3, Options: rooms.Options{"map": "dust"}},
		"no party":        {Kind: "field", Player: rooms.Player{ID: 5}, Size: 3},
		"has 8 seats":     {Kind: "field", Player: rooms.Player{ID: 5, Party: 8}, Size: 9},
	} {
		if _, err := q.Enter(h.now, wish); !errors.Is(err, ErrParty) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", wish, err)
		}
	}
	d := h.enter(q, 4, 9, 3, 0)
	if _, err := q.Enter(h.now, Wish{Kind: "field", Player: rooms.Player{ID: 5, Party: 9}, Size: 3}); !errors.Is(err, ErrParty) {
		t.Errorf("a fourth of three: %v", err)
	}
	h.run(q)
	x, y, z := got(a), got(c), got(d)
	if x == nil || y == nil || z == nil || x.Admission.Seat.Room != y.Admission.Seat.Room || y.Admission.Seat.Room != z.Admission.Seat.Room || q.Len() != 0 {
		t.Errorf("%+v %+v %+v, %d wait", x, y, z, q.Len())
	}
}

// Windows widen: players of different skill meet when both have waited for long enough.
func TestWindowWidens(t *testing.T) {
	h := newHall(t)
	q := New(Config{}, h)
	a, b := h.enter(q, 1, 0, 1, 1000), h.enter(q, 2, 0, 1, 1350)
	for n := 0; ; n++ {
		h.run(q)
		if x, y := got(a), got(b); x != nil && y != nil {
			if h.now.Sub(birth) != 13*time.Second { // 100 + 13·20 ≥ 350
				t.Errorf("they meet after %v", h.now.Sub(birth))
			}
			if o := h.rooms[0].Options; o["skill"] != 1175.0 {
				t.Errorf("the room publishes %v", o)
			}
			return
		}
		if n > 20 {
			t.Fatal("they do not meet")
		}
	}
}

// A player who asks again keeps its place, and its older request is answered as superseded. A player who was told to ask again
// gets no seat until it does, and loses its place after a while.
func TestAskingAgain(t *testing.T) {
	h := newHall(t)
	q := New(Config{}, h)
	first := h.enter(q, 1, 0, 1, 0)
	h.now = h.now.Add(9 * time.Second)
	again := h.enter(q, 1, 0, 1, 0)
	if a := got(first); a == nil || !errors.Is(a.Err, ErrSuperseded) {
		t.Errorf("the older request: %+v", a)
	}
	q.Leave(first) // which says nothing any more
	other := h.enter(q, 2, 0, 1, 0)
	if !q.Pause(h.now, again) {
		t.Fatal("no pause")
	}
	h.run(q)
	h.run(q)
	if got(again) != nil || got(other) != nil || q.Len() != 2 {
		t.Fatal("somebody who is not there has a seat")
	}
	again = h.enter(q, 1, 0, 1, 0)
	h.run(q)
	if got(again) == nil || got(other) == nil {
		t.Error("it has lost its place in the queue")
	}
	late := h.enter(q, 3, 0, 1, 0)
	q.Pause(h.now, late)
	h.now = h.now.Add(defaultHold)
	h.run(q)
	if q.Len() != 0 {
		t.Error("its place is kept for ever")
	}
}

// The groups of a game's function are checked, and only valid ones get seats.
func TestWrongGroups(t *testing.T) {
	h := newHall(t)
	var groups func(in Input) []Group
	q := New(Config{Match: func(in Input) []Group { return groups(in) }}, h)
	a, b := h.enter(q, 1, 0, 1, 0), h.enter(q, 2, 0, 1, 0)
	for want, f := range map[string]func(in Input) []Group{
		"nobody is in it":   func(Input) []Group { return []Group{{}} },
		"nobody has ticket": func(Input) []Group { return []Group{{Tickets: []uint64{77}}} },
		"in it twice":       func(in Input) []Group { return []Group{{Tickets: []uint64{in.Tickets[0].ID, in.Tickets[0].ID}}} },
		"no such room":      func(in Input) []Group { return []Group{{Tickets: []uint64{in.Tickets[0].ID}, Room: 5}} },
		"panic: oh":         func(Input) []Group { panic("oh") },
	} {
		groups = f
		if err := q.Run(context.Background(), h.now); !errors.Is(err, ErrMatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if got(a) != nil || got(b) != nil {
			t.Fatalf("%s: somebody has a seat", want)
		}
	}
	groups = func(in Input) []Group {
		id := in.Tickets[0].ID
		return []Group{{Tickets: []uint64{id}}, {Tickets: []uint64{id}}}
	}
	h.run(q)
	if got(a) == nil || got(b) != nil || len(h.rooms) != 1 {
		t.Errorf("%d rooms", len(h.rooms))
	}
}

// A player who can never get a seat gets the reason. A player who can get one later keeps waiting.
func TestSeatsThatFail(t *testing.T) {
	h := newHall(t)
	q := New(Config{Match: Rules{Least: 1, Patience: -1}.Match}, h)
	a := h.enter(q, 1, 0, 1, 0)
	for _, h.fail = range []error{rooms.ErrRooms, &rooms.Unavailable{Again: time.Second}} {
		h.run(q)
		if got(a) != nil || q.Len() != 1 {
			t.Fatal("it does not wait until there is place for a room")
		}
	}
	h.fail = rooms.ErrDraining
	h.run(q)
	if x := got(a); x == nil || !errors.Is(x.Err, rooms.ErrDraining) || q.Len() != 0 {
		t.Errorf("%+v", x)
	}
	h.fail = nil
	h.rooms = []*fake{{Place{Room: 40, Free: 3}, "field", "", nil}, {Place{Room: 41, Free: 5}, "field", "", nil}}
	h.banned[fmt.Sprint(uint64(2), rooms.ID(40))] = true
	b := h.enter(q, 2, 0, 1, 0)
	h.run(q)
	h.run(q)
	if x := got(b); x == nil || x.Admission.Seat.Room != 41 {
		t.Errorf("who is banned from one room: %+v", x)
	}
}

// Players with the same schema meet. A player with a schema that no room has is told so.
func TestSchemas(t *testing.T) {
	h := newHall(t)
	q := New(Config{Match: Rules{Patience: -1}.Match}, h)
	all := make(map[string][]*Wait)
	for i, schema := range []string{"old", "new", "new", "old", "", "lonely", ""} {
		w, err := q.Enter(h.now, Wish{Kind: "field", Schema: schema, Player: rooms.Player{ID: uint64(i) + 1}})
		if err != nil {
			t.Fatal(err)
		}
		all[schema] = append(all[schema], w)
	}
	if _, err := q.Enter(h.now, Wish{Kind: "field", Schema: "gone", Player: rooms.Player{ID: 9}}); !errors.Is(err, rooms.ErrSchema) {
		t.Errorf("no room speaks it: %v", err)
	}
	h.check = func(_ string, _ *fake, who []rooms.Player) {
		if len(who) != 2 {
			t.Errorf("%v are together", who)
		}
	}
	h.run(q)
	rooms := make(map[rooms.ID]string)
	for schema, pair := range all {
		for _, w := range pair {
			a := got(w)
			if schema == "lonely" {
				if a != nil {
					t.Errorf("who has nobody to play with is seated: %+v", a)
				}
				continue
			}
			if a == nil || a.Err != nil {
				t.Fatalf("%q: %+v", schema, a)
			}
			if other, ok := rooms[a.Admission.Seat.Room]; ok && other != schema {
				t.Errorf("%q and %q are in one room", schema, other)
			}
			rooms[a.Admission.Seat.Room] = schema
		}
	}
}

// Ten thousand waiting players are matched. One more is refused.
func TestTenThousand(t *testing.T) {
	h := newHall(t)
	q := New(Config{}, h)
	var all []*Wait
	for i := range uint64(defaultMost) {
		all = append(all, h.enter(q, i+1, 0, 1, float64(i%2000)))
	}
	if _, err := q.Enter(h.now, Wish{Kind: "field", Player: rooms.Player{ID: 1 << 40}}); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
	h.run(q)
	for i, w := range all {
		if a := got(w); a == nil || a.Err != nil {
			t.Fatalf("player %d: %+v", i+1, a)
		}
	}
	if len(h.rooms) != defaultMost/8 {
		t.Errorf("%d rooms", len(h.rooms))
	}
}
