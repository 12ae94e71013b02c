package main

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// A room has two owners if one still believes so after another has started to. Consecutive owners are correct, and a paused
// process believes nothing.
func TestOwnedTwice(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(1e12 + int64(ms)) }
	own := func(run, ms int, ids ...rooms.ID) belief { return belief{At: at(ms), Run: run, Rooms: ids} }
	for name, x := range map[string]struct {
		all   []belief
		twice []rooms.ID
	}{
		"one":                      {[]belief{own(1, 0, 7), own(1, 20, 7)}, nil},
		"one after the other":      {[]belief{own(1, 0, 7), own(1, 20, 7), own(2, 40, 7)}, nil},
		"both":                     {[]belief{own(1, 0, 7, 8), own(2, 10, 7), own(1, 20, 7, 8)}, []rooms.ID{7}},
		"paused, and then awake":   {[]belief{own(1, 0, 7), own(2, 10000, 7), own(1, 15000, 7)}, []rooms.ID{7}},
		"paused, and then fenced":  {[]belief{own(1, 0, 7), own(2, 10000, 7), own(1, 15000)}, nil},
		"the first of three again": {[]belief{own(1, 0, 7), own(2, 10, 7), own(3, 20, 7), own(1, 30, 7)}, []rooms.ID{7}},
	} {
		if got := ownedTwice(x.all); !slices.Equal(got, x.twice) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A seat in which no process believes is lost for that time, or until the end.
func TestSeatsLost(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1e9+int64(s), 0) }
	all := []belief{
		{At: at(0), Run: 1, Seats: []uint64{1, 2, 99}}, {At: at(1), Run: 1, Seats: []uint64{1, 2}}, {At: at(4), Run: 2, Seats: []uint64{1}},
		{At: at(5), Run: 2, Seats: []uint64{1}},
	}
	got := seatsLost(all, 10, at(6))
	if len(got) != 2 || got[1] != 3*time.Second || got[2] != 5*time.Second {
		t.Error(got)
	}
}
