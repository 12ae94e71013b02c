package match

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// FuzzRecords: whatever stands in the directory under the key of a ticket or a result, it is refused, or within its bounds; and
// no ticket that is read breaks the queue that it enters.
func FuzzRecords(f *testing.F) {
	for _, x := range []any{
		sharedTicket{Holder: "a", Since: birth, Kind: "field", Size: 2, Options: rooms.Options{"map": "dust"}, Player: 7, Party: 9, Data: []byte("Ada")},
		sharedTicket{Since: birth, Paused: true, Kind: "duel", Size: -1, Player: 7},
		result{Room: 5, Players: []matched{{7, birth}}}, result{Refused: "party"}, result{}, nil, 1,
	} {
		value, err := json.Marshal(x)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if x, err := keys("").parseResult(rooms.Record{Key: keys("").result("a", 1), Value: value}); err != nil {
			if !errors.Is(err, errRecord) {
				t.Errorf("%q: %v", value, err)
			}
		} else if len(x.Players) > mostInResult || (x.Room == 0) == (x.Refused == "") {
			t.Errorf("%q: %+v", value, x)
		} else if x.Refused != "" && refusal(x.Refused) == nil {
			t.Errorf("%q refuses nobody", value)
		}
		x, err := keys("").parseTicket(rooms.Record{Key: keys("").ticket(7), Value: value})
		if err != nil {
			if !errors.Is(err, errRecord) {
				t.Errorf("%q: %v", value, err)
			}
			return
		}
		h := newHall(t)
		q := New(Config{}, h)
		w, err := q.Enter(x.Since, x.wish())
		if x.Player != 7 || err == nil && (x.Size > 8 || len(x.Data) > rooms.MaxData) {
			t.Errorf("%q: %+v, %v", value, x, err)
		}
		if err != nil {
			return
		}
		if err := q.Run(t.Context(), birth.Add(time.Hour)); err != nil {
			t.Errorf("%q: %v", value, err)
		}
		q.Leave(w)
	})
}
