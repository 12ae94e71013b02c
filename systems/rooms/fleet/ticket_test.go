package fleet

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// FuzzTickets checks that arbitrary records of tickets and results are refused or within their bounds, and that no accepted
// ticket breaks the queue.
func FuzzTickets(f *testing.F) {
	for _, x := range []any{
		ticket{Holder: "a", Since: time.Unix(1, 0), Kind: "field", Size: 2, Options: rooms.Options{"map": "dust"}, Player: 7, Party: 9, Data: []byte("Ada")},
		ticket{Since: time.Unix(1, 0), Paused: true, Kind: "duel", Size: -1, Player: 7},
		result{Room: 5, Players: []matched{{7, time.Unix(1, 0)}}}, result{Refused: "party"}, result{}, nil, 1,
	} {
		value, err := json.Marshal(x)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if x, err := queueKeys("").parseResult(Record{Key: queueKeys("").result("a", 1), Value: value}); err != nil {
			if !errors.Is(err, errTicket) {
				t.Errorf("%q: %v", value, err)
			}
		} else if len(x.Players) > maxInResult || (x.Room == 0) == (x.Refused == "") {
			t.Errorf("%q: %+v", value, x)
		} else if x.Refused != "" && queueError(x.Refused) == nil {
			t.Errorf("%q refuses nobody", value)
		}
		x, err := queueKeys("").parseTicket(Record{Key: queueKeys("").ticket(7), Value: value})
		if err != nil {
			if !errors.Is(err, errTicket) {
				t.Errorf("%q: %v", value, err)
			}
			return
		}
		if x.Player != 7 {
			t.Errorf("%q: %+v", value, x)
		}
	})
}
