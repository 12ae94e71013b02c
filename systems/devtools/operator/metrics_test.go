package operator

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Metrics are per kind of room: they sum up its rooms, and name neither rooms nor players.
func TestMetrics(t *testing.T) {
	wrong := fields("wrong", 4, func(w *ecs.World) {
		if w.Tick() == 30 {
			panic("thirty")
		}
	})
	c := acting()
	c.Queued = func() int { return 7 }
	v := virtualSite(t, c, rooms.Config{Kinds: []rooms.Kind{fields("field", 2, nil), wrong, fields("unused", 2, nil)}, Process: "here"})
	for id := range uint64(3) {
		v.enter("field", id+1)
	}
	if _, err := v.server.Create("wrong", rooms.Creation{}); err != nil {
		t.Fatal(err)
	}
	v.run(3 * time.Second)
	r := v.server.Rooms()[1]
	if _, err := r.Reserve(rooms.Player{ID: 10}, rooms.Player{ID: 11}); err == nil {
		t.Fatal("three in a room for two")
	}
	if _, err := r.Reserve(rooms.Player{ID: 12}); err != nil {
		t.Fatal(err)
	}
	v.act(path(r, "lock"), "{}")
	v.refused(path(r, "kick"), `{"player":"99"}`, "no_seat")
	v.do(http.MethodPost, path(r, "lock"), "{}")
	a := v.do(http.MethodGet, "/metrics", "")
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for _, want := range []string{
		`tactus_rooms{kind="field",state="open"} 1`,
		`tactus_rooms{kind="field",state="locked"} 1`,
		`tactus_rooms{kind="field",state="draining"} 0`,
		`tactus_rooms{kind="wrong",state="open"} 0`,
		`tactus_room_players{kind="field"} 3`,
		`tactus_room_seats{kind="field",state="taken"} 3`,
		`tactus_room_seats{kind="field",state="promised"} 1`,
		`tactus_room_seats{kind="field",state="free"} 0`,
		`tactus_room_seats{kind="unused",state="free"} 0`,
		`tactus_room_save_age_seconds{kind="field"} 0`, // there is no store
		`tactus_saves_unusable 0`,
		`tactus_rooms_free 1022`,
		`tactus_room_panics_total{kind="wrong"} 1`,
		`tactus_room_panics_total{kind="field"} 0`,
		`tactus_room_ticks_total{kind="wrong"} 30`,
		`tactus_room_tick_seconds_count{kind="wrong"} 31`,
		`tactus_room_tick_seconds_bucket{kind="wrong",le="2"} 31`, // with the turn that failed
		`tactus_room_turns_late_total{kind="field"} 0`,
		`tactus_rooms_slow{kind="field"} 0`,
		`tactus_rooms_stuck{kind="field"} 0`,
		`tactus_room_events_total{event="created",kind="field"} 2`,
		`tactus_joins_total{kind="field",outcome="given"} 4`,
		`tactus_joins_total{kind="field",outcome="full"} 2`,
		`tactus_draining 0`,
		`tactus_transport_failed 0`,
		`tactus_accept_errors_total 0`,
		`tactus_queue_players 7`,
		`tactus_directory_member 1`,
		`tactus_directory_fenced 0`,
		`tactus_directory_named 0`,
		`tactus_directory_age_seconds 0`,
		`tactus_directory_errors_total 0`,
		`tactus_directory_panics_total 0`,
		`tactus_operator_actions_total{action="lock",outcome="done"} 1`,
		`tactus_operator_actions_total{action="lock",outcome="refused"} 1`,
		`tactus_operator_actions_total{action="kick",outcome="refused"} 1`,
		`tactus_room_datagrams_dropped_total{reason="roomless"} 0`,
	} {
		if !strings.Contains(a.body, "\n"+want+"\n") {
			name, _, _ := strings.Cut(want, "{")
			var there []string
			for l := range strings.Lines(a.body) {
				if strings.HasPrefix(l, name) {
					there = append(there, l)
				}
			}
			t.Errorf("%s is not there, but %s", want, strings.Join(there, ""))
		}
	}
	series := 0
	for l := range strings.Lines(a.body) {
		if !strings.HasPrefix(l, "tactus_") {
			continue
		}
		series++
		for _, no := range []string{r.ID().String(), r.Code(), "room=", "player=", "process=", "here"} {
			if strings.Contains(l, no) {
				t.Errorf("%s in %s", no, l)
			}
		}
	}
	before := series
	for range 20 { // more rooms, and no more series
		if _, err := v.server.Create("field", rooms.Creation{}); err != nil {
			t.Fatal(err)
		}
	}
	after := 0
	for l := range strings.Lines(v.do(http.MethodGet, "/metrics", "").body) {
		if strings.HasPrefix(l, "tactus_") {
			after++
		}
	}
	if after != before || before < 60 {
		t.Errorf("%d series, and %d with more rooms", before, after)
	}
}
