package operator

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Every action is applied to the room, and is recorded in memory and as a line of the log.
func TestActions(t *testing.T) {
	var heard []string
	c := acting()
	c.Broadcast = func(r *rooms.Room, text string) error {
		heard = append(heard, r.Code()+" "+text)
		switch text {
		case "fail":
			return errors.New("nobody listens")
		case "panic":
			panic("no voice")
		}
		return nil
	}
	v := virtualSite(t, c, rooms.Config{Kinds: []rooms.Kind{fields("field", 4, nil)}, Process: "here", Flights: t.TempDir()})
	seat, ada := v.enter("field", 1)
	_, bob := v.enter("field", 2)
	r := v.server.Room(seat.Seat.Room)
	state := func(want rooms.State) {
		t.Helper()
		if got := r.Info().State; got != want {
			t.Errorf("the room is %v, want %v", got, want)
		}
	}
	logged := func(what, outcome, code, detail string) {
		t.Helper()
		if e := v.newest(); e.Who != "ada" || e.What != what || e.Outcome != outcome || e.Code != code || e.Detail != detail || e.Room != r.ID() || e.Kind != "field" || e.From == "" || e.At.IsZero() {
			t.Errorf("the log says %+v, want %s %s %s %q", e, what, outcome, code, detail)
		}
	}
	v.act(path(r, "lock"), `{}`)
	state(rooms.Locked)
	logged("lock", Done, "", "")
	v.act(path(r, "unlock"), `{}`)
	state(rooms.Open)
	logged("unlock", Done, "", "")

	v.act(path(r, "broadcast"), `{"text":"good evening"}`)
	logged("broadcast", Done, "", "good evening")
	v.refused(path(r, "broadcast"), `{"text":"fail"}`, "failed")
	logged("broadcast", Failed, "failed", "fail: nobody listens")
	v.refused(path(r, "broadcast"), `{"text":"panic"}`, "failed")
	logged("broadcast", Failed, "failed", "panic: a panic: no voice")
	if want := r.Code() + " good evening"; len(heard) != 3 || heard[0] != want {
		t.Errorf("heard %q, want %q first", heard, want)
	}

	v.act(path(r, "flight"), `{}`)
	logged("flight", Done, "", "")
	v.refused(path(r, "kick"), `{"player":"7"}`, "no_seat")
	logged("kick", Refused, "no_seat", "The player has no seat in this room.")
	v.act(path(r, "kick"), `{"player":"1"}`)
	if e := v.newest(); e.What != "kick" || e.Player != "1" || e.Who != "ada" {
		t.Errorf("the log says %+v", e)
	}
	v.run(time.Second)
	if ada.Err() == nil || bob.Err() != nil {
		t.Errorf("player 1 was kicked: %v, %v", ada.Err(), bob.Err())
	}
	v.act(path(r, "ban"), `{"player":"2"}`)
	v.run(time.Second)
	if bob.Err() == nil {
		t.Error("player 2 plays on, banned")
	}
	if _, err := r.Reserve(rooms.Player{ID: 2}); !errors.Is(err, rooms.ErrBanned) {
		t.Errorf("player 2 is banned: %v", err)
	}
	if _, err := r.Reserve(rooms.Player{ID: 1}); err != nil {
		t.Errorf("player 1 was kicked, and may come again: %v", err)
	}

	v.act(path(r, "end"), `{"reason":"cheaters"}`)
	state(rooms.Ended)
	v.refused(path(r, "lock"), `{}`, "ended")
	v.run(time.Second)
	v.refused(path(r, "lock"), `{}`, "no_room")
	told := false
	for _, e := range v.audit.Entries(0, r.ID(), 100) {
		told = told || e.What == "ended" && e.Outcome == Told && strings.Contains(e.Detail, "by ada: cheaters")
	}
	if !told {
		t.Errorf("the room did not tell that Ada ended it: %+v", v.audit.Entries(0, r.ID(), 100))
	}

	other, err := v.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	r = other
	v.act(path(r, "drain"), `{}`)
	state(rooms.Draining)
	logged("drain", Done, "", "")
	if v.server.Draining() {
		t.Error("the process drains, not the room alone")
	}
	v.refused("/drain", `{"process":"elsewhere"}`, "process")
	if v.server.Draining() {
		t.Error("another process was meant")
	}
	v.act("/drain", `{"process":"here"}`)
	if !v.server.Draining() {
		t.Error("the process does not drain")
	}
	if v.act("/check", `{}`); v.newest().What != "check" {
		t.Errorf("%+v", v.newest())
	}
	v.refused("/room/nothing/lock", `{}`, "no_room")
	v.refused("/room/0000000000001/lock", `{}`, "no_room")
	v.refused(path(r, "explode"), `{}`, "no_path")
	v.refused("/", `{}`, "no_path")

	// Lines say what memory does, in their order.
	v.audit.Flush()
	var last uint64
	lines := 0
	for text := range strings.Lines(v.log.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil || l.Log != "audit" || l.Number != last+1 {
			t.Fatalf("line %q behind %d: %v", text, last, err)
		}
		last = l.Number
		lines++
	}
	if all := v.audit.Entries(0, 0, 1000); len(all) != lines || lines < 20 {
		t.Errorf("%d lines, %d entries", lines, len(all))
	}
	if strings.Contains(v.log.String(), adaToken) {
		t.Error("the token is in the log")
	}
}

// Without Broadcast and Flights in the configurations, broadcasts and flights are refused.
func TestNoBroadcast(t *testing.T) {
	v := virtualSite(t, acting(), rooms.Config{Kinds: []rooms.Kind{fields("field", 4, nil)}})
	r, err := v.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	v.refused(path(r, "broadcast"), `{"text":"hello"}`, "off")
	v.refused(path(r, "flight"), `{}`, "off")
}

// Invalid bodies are refused and change nothing.
func TestBodies(t *testing.T) {
	c := acting()
	c.Broadcast = func(*rooms.Room, string) error { t.Error("told"); return nil }
	v := virtualSite(t, c, rooms.Config{Kinds: []rooms.Kind{fields("field", 4, nil)}, Process: "here"})
	r, err := v.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", maxText+1)
	for _, x := range []struct{ path, body, code string }{
		{path(r, "lock"), ``, "bad_body"},
		{path(r, "lock"), `{"room":"x"}`, "bad_body"},
		{path(r, "end"), `{"reason":3}`, "bad_body"},
		{path(r, "end"), `{"reason":"` + long + `"}`, "bad_body"},
		{path(r, "end"), `{"reason":"two\nlines"}`, "bad_body"},
		{path(r, "kick"), `{"player":7}`, "bad_body"},
		{path(r, "kick"), `{"player":"0"}`, "bad_body"},
		{path(r, "ban"), `{"player":"-1"}`, "bad_body"},
		{path(r, "ban"), `{"player":"18446744073709551616"}`, "bad_body"},
		{path(r, "broadcast"), `{}`, "bad_body"},
		{path(r, "broadcast"), `{"text":"` + long + `"}`, "bad_body"},
		{path(r, "broadcast"), `{"text":"a\u0007b"}`, "bad_body"},
		{"/drain", `{}`, "bad_body"},
		{"/drain", `{"process":"here","process":"here"}`, "bad_body"},
		{path(r, "lock"), `{}` + strings.Repeat(" ", maxBody), "too_long"},
		{path(r, "broadcast"), `{"text":"` + strings.Repeat("y", 10<<20) + `"}`, "too_long"},
	} {
		v.refused(x.path, x.body, x.code)
	}
	if i := r.Info(); i.State != rooms.Open || v.server.Draining() {
		t.Errorf("something was done: %v", i.State)
	}
}
