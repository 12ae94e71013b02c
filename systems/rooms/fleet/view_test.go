package fleet

import (
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// FuzzEntries checks that arbitrary records of processes and rooms are refused or within their bounds, and that the view stays
// consistent.
func FuzzEntries(f *testing.F) {
	process, err := json.Marshal(ProcessEntry{Process: "a", Epoch: 1, Kinds: []rooms.KindEntry{{Kind: "field", Schema: "7", Capacity: 4}}, MaxRooms: 4})
	if err != nil {
		f.Fatal(err)
	}
	room, err := json.Marshal(rooms.RoomEntry{
		ID: 7, Kind: "field", Schema: "7", Code: "abcdef", Process: "a", ProcessEpoch: 1, Capacity: 4,
		RoomState: rooms.RoomState{State: rooms.Open, Free: 2, Options: rooms.Options{"map": "dust", "level": 3.0}},
	})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range [][]byte{process, room, {}, []byte(`{}`), []byte(`null`), []byte(`{"id":"0000000000007","capacity":-1}`), []byte(`{"process":"a","kinds":[{}]}`), []byte(`{"state":"none"}`)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if e, err := parseProcess("process.a", value); err != nil {
			if !errors.Is(err, errEntry) {
				t.Errorf("%q: %v", value, err)
			}
		} else if e.Process != "a" || len(e.Kinds) > maxKinds {
			t.Errorf("%q: %+v", value, e)
		}
		if e, err := parseRoom(RoomKey(7), value); err != nil {
			if !errors.Is(err, errEntry) {
				t.Errorf("%q: %v", value, err)
			}
		} else if e.ID != 7 || e.Free < 0 || e.Free > e.Capacity || e.Capacity > rooms.MaxCapacity || len(e.Options) > 16 {
			t.Errorf("%q: %+v", value, e)
		}
		v := newView("", slog.New(slog.DiscardHandler))
		for i, r := range []Record{
			{Key: "process.a", Value: process}, {Key: RoomKey(7), Value: room}, {Key: "process.a", Value: value}, {Key: RoomKey(7), Value: value},
			{Key: "process.a", Value: process}, {Key: RoomKey(7), Value: value, Gone: true},
		} {
			r.Revision = uint64(i) + 1
			v.update(r)
			if p := v.processes["a"]; p != nil && p.taken != v.takenSeats("a") {
				t.Fatalf("%q: %d seats are taken, counted %d", value, v.takenSeats("a"), p.taken)
			}
			to, err := v.choose(&rooms.Wish{Kind: "field", Players: []rooms.Player{{ID: 1, Party: 1}, {ID: 2, Party: 1}}}, false, nil, time.Time{})
			if err == nil && (to.process == nil || to.room != nil && v.rooms[to.room.ID] != to.room) {
				t.Fatalf("%q: %+v", value, to)
			} else if err == nil {
				v.asked(to, true)
			}
		}
		if len(v.rooms)+len(v.codes) > 0 {
			t.Errorf("%q: %v and %v are left", value, v.rooms, v.codes)
		}
	})
}
