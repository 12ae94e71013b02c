package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// generous is a deadline that no machine needs.
const generous = time.Minute

// In real time, processes that run ask each other for seats, each seat is given once, and processes that have ended leave no records.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	directory, key := fleet.NewMemory(nil), netcode.GenerateKey(nil)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var fleets []*fleet.Fleet
	for i := range 3 {
		c := fleet.Config{Directory: directory, Key: key}
		if i < 2 {
			wire, err := netsys.ListenUDP("127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			rc := fields(4)
			rc.Process, rc.Key = fmt.Sprint("p", i), key
			if c.Here, err = rooms.New(rc, wire); err != nil {
				t.Fatal(err)
			}
		}
		f, err := fleet.New(c)
		if err != nil {
			t.Fatal(err)
		}
		run := f.Run
		if c.Here != nil {
			run = c.Here.Run
		}
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
		fleets = append(fleets, f)
	}
	for end := time.Now().Add(generous); ; time.Sleep(5 * time.Millisecond) {
		ready := 0
		for i, f := range fleets {
			if list, err := directory.List(ctx, fleet.ProcessPrefix); err == nil && len(list) == 2 && f.Ready() == nil && (i == 2 || f.Epoch() != 0) {
				ready++
			}
		}
		if ready == 3 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d of 3 processes are ready", ready)
		}
	}
	var mu sync.Mutex
	given := make(map[string]uint64)
	by := make(map[string]int)
	var players sync.WaitGroup
	for i := range uint64(60) {
		players.Go(func() {
			call, enough := context.WithTimeout(ctx, generous)
			defer enough()
			all, err := fleets[i%3].Join(call, rooms.Wish{Kind: "field", Players: party(2*i+1, 2)})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, a := range all {
				seat := fmt.Sprint(a.Seat.Room, a.Seat.Number)
				if other, twice := given[seat]; twice {
					t.Errorf("seat %s was given to %d and to %d", seat, other, a.Seat.Player)
				}
				given[seat] = a.Seat.Player
				by[a.Process]++
			}
		})
	}
	players.Wait()
	if len(given) != 120 || by["p0"] == 0 || by["p1"] == 0 {
		t.Errorf("%d seats, by %v", len(given), by)
	}
	if err := fleets[0].Run(ctx); err == nil {
		t.Error("it runs twice")
	}
	stop()
	running.Wait()
	if left, err := directory.List(context.Background(), ""); err != nil || len(left) != 2 { // how often the names were claimed
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := fleets[2].Join(context.Background(), rooms.Wish{Kind: "field", Players: party(501, 1)}); !errors.Is(err, rooms.ErrUnavailable) {
		t.Errorf("a join after the end: %v", err)
	}
}
