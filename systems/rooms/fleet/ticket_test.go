package fleet

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// anywhere is a Seater with one kind of rooms.
type anywhere struct{ match.Seater }

func (anywhere) Capacity(kind, _ string) int {
	if kind == "field" {
		return 4
	}
	return 0
}

// FuzzTickets checks that the process that matches refuses invalid listings, survives the others, and answers no more than
// it was asked.
func FuzzTickets(f *testing.F) {
	for _, x := range []any{
		listing[ticket]{Process: "a", Number: 1, Tickets: []ticket{
			{Since: time.Unix(1, 0), Kind: "field", Size: 2, Options: rooms.Options{"map": "dust"}, Player: 7, Party: 9, Data: []byte("Ada")},
			{Since: time.Unix(2, 0), Kind: "field", Size: 2, Player: 8, Party: 9}, {Since: time.Unix(1, 0), Kind: "field", Paused: true, Player: 7},
		}},
		listing[ticket]{Process: "b", Number: 1, More: true, Tickets: []ticket{{Room: 5, Kind: "duel", Size: -1, Player: 7}}}, listing[ticket]{Process: "a", Number: 2}, nil, 1,
	} {
		value, err := json.Marshal(x)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		l, err := parseListing(value)
		if err != nil {
			if !errors.Is(err, errListing) {
				t.Errorf("%q: %v", value, err)
			}
			return
		}
		m, now := newMatchmaker(match.Config{}, anywhere{}), time.Unix(3, 0)
		other := listing[ticket]{Process: "other", Number: 1, Tickets: []ticket{{Asked: time.Unix(1, 0), Kind: "field", Size: 2, Player: 7, Party: 9}}}
		m.accept(now, &other)
		for range 3 {
			r, _ := m.accept(now, &l)
			if len(r.Players) > len(l.Tickets) {
				t.Errorf("%q: %+v", value, r.Players)
			}
			for _, x := range r.Players {
				if x.Refused != "" && queueError(x.Refused) == nil {
					t.Errorf("%q: %+v", value, r.Players)
				}
			}
			m.prepare(now)
			m.collect()
			now = now.Add(ticketTTL)
			m.expire(now)
		}
	})
}

// A list that arrives late changes nothing. Players of a silent process leave, those with a result later, and a process that knows a
// result is not told again.
func TestLists(t *testing.T) {
	m, at := newMatchmaker(match.Config{}, anywhere{}), time.Unix(100, 0)
	list := func(number uint64, all ...ticket) (players []result, ok bool) {
		r, ok := m.accept(at, &listing[ticket]{Process: "a", Number: number, Tickets: all})
		return r.Players, ok
	}
	waits, refused, seated := ticket{Kind: "field", Size: 1, Player: 1}, ticket{Kind: "field", Size: 9, Player: 2}, ticket{Room: 5, Player: 3}
	list(2, waits, refused, seated)
	m.prepare(at)
	if _, ok := list(1); ok || len(m.players) != 3 {
		t.Errorf("after a late list: %d players, want 3", len(m.players))
	}
	if got, ok := list(3, waits, refused, seated); !ok || len(got) != 1 || got[0].Player != 2 || got[0].Refused != "party" {
		t.Errorf("results %+v, want that of player 2", got)
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{ticketTTL, 3}, {ticketTTL + 1, 2}, {resultTTL, 2}, {resultTTL + 1, 0}} {
		if m.expire(at.Add(c.after)); len(m.players) != c.want {
			t.Errorf("%v after the newest list: %d players, want %d", c.after, len(m.players), c.want)
		}
	}
	if list(4, waits); len(m.players) != 1 {
		t.Errorf("after another list: %d players, want 1", len(m.players))
	}
}
