package main

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/systems"
)

// within runs the server in this process, so that nothing has to be built.
func within(t *testing.T, o crowd.Options) *crowd.Process {
	t.Helper()
	asks, in := io.Pipe()
	out, answers := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := serve(o, asks, answers)
		_ = answers.CloseWithError(err)
		served <- err
	}()
	p, err := crowd.Talk(in, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return p
}

// All players of three rooms with four seats play while more players request seats. Some are refused, nobody gets another
// player's seat, and all who got one can connect, however busy the machine is.
func TestBench(t *testing.T) {
	o := crowd.Options{Rooms: 3, Players: 4, Hz: 20, Seconds: 1, Joins: 100, Warmup: 100 * time.Millisecond, Overload: systems.Overload{Off: true}}
	r, err := crowd.Play(o, []*crowd.Process{within(t, o)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Joins < 100 || r.Given+r.Refused+r.Failed != r.Joins || r.Given <= 12 || r.Refused == 0 || r.Failed != 0 {
		t.Errorf("asking: %+v", r)
	}
	if r.Doubled != 0 || r.Over != 0 || r.Entered == 0 || r.Turned != 0 {
		t.Errorf("seats: %+v", r)
	}
	if r.Connected != 12 || r.Gone != 0 || r.TicksPct <= 0 || r.Updates <= 0 || r.CPU <= 0 || r.KiB <= 0 || r.RoomTick <= 0 || r.RoomsMost != 3 {
		t.Errorf("play: %+v", r)
	}
	var b bytes.Buffer
	if err := crowd.Print(&b, r, true); err != nil {
		t.Fatal(err)
	}
	var printed map[string]any
	if err := json.Unmarshal(b.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ticks_pct", "updates_per_client_s", "cpu_s_per_s", "us_per_room_tick", "kib_per_room", "joins", "refused", "joins_late", "seats_doubled", "over_capacity"} {
		if _, ok := printed[name]; !ok {
			t.Errorf("%s is not printed: %s", name, &b)
		}
	}
}
