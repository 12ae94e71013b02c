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
		listing{Process: "a", Number: 1, Tickets: []ticket{
			{Since: time.Unix(1, 0), Kind: "field", Size: 2, Options: rooms.Options{"map": "dust"}, Player: 7, Party: 9, Data: []byte("Ada")},
			{Since: time.Unix(2, 0), Kind: "field", Size: 2, Player: 8, Party: 9}, {Since: time.Unix(1, 0), Kind: "field", Paused: true, Player: 7},
		}},
		listing{Process: "b", Number: 1, More: true, Tickets: []ticket{{Room: 5, Kind: "duel", Size: -1, Player: 7}}}, listing{Process: "a", Number: 2}, nil, 1,
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
		other := listing{Process: "other", Number: 1, Tickets: []ticket{{Asked: time.Unix(1, 0), Kind: "field", Size: 2, Player: 7, Party: 9}}}
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
