package lobby

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
)

// generous is a deadline that no machine needs.
const generous = time.Minute

// In real time, too: processes that run ask each other, seats are given once, nobody waits for ever, and a lobby that ends
// answers who waits.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	directory, key := rooms.NewMemory(nil), netcode.GenerateKey(nil)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var lobbies []*Lobby
	for i := range 3 {
		c := Config{Directory: directory, Key: key}
		if i < 2 {
			wire, err := netsys.ListenUDP("127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			rc := fields(4)
			rc.Process, rc.Directory, rc.Key = fmt.Sprint("p", i), directory, key
			if c.Here, err = rooms.New(rc, wire); err != nil {
				t.Fatal(err)
			}
			running.Go(func() {
				if err := c.Here.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		l, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			if err := l.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		lobbies = append(lobbies, l)
	}
	for end := time.Now().Add(generous); ; time.Sleep(5 * time.Millisecond) {
		known := 0
		for _, l := range lobbies {
			l.mu.Lock()
			for _, p := range l.view.processes {
				if p.Epoch != 0 {
					known++
				}
			}
			l.mu.Unlock()
		}
		if known == 6 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d of 6 processes are known", known)
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
			all, err := lobbies[i%3].Join(call, rooms.Wish{Kind: "field", Players: party(2*i+1, 2)})
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
	for end := time.Now().Add(generous); ; time.Sleep(5 * time.Millisecond) {
		left, err := directory.List(ctx, "ask.")
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d asks are left", len(left))
		}
	}
	if err := lobbies[0].Run(ctx); err == nil {
		t.Error("it runs twice")
	}
	// Somebody who is not there is asked, and the lobby ends.
	waiting := make(chan error, 1)
	l := lobbies[2]
	l.mu.Lock()
	l.config.Patience = generous
	l.view.processes["ghost"] = &process{ProcessEntry: rooms.ProcessEntry{Process: "ghost", Epoch: 1, Kinds: []rooms.KindEntry{{Kind: "chess", Schema: "1", Capacity: 2}}}, revision: 1}
	l.mu.Unlock()
	go func() {
		_, err := l.Join(context.Background(), rooms.Wish{Kind: "chess", Players: party(500, 1)})
		waiting <- err
	}()
	for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		waiting = l.post.waiting
		l.mu.Unlock()
	}
	stop()
	if err := <-waiting; !errors.Is(err, rooms.ErrUnavailable) {
		t.Errorf("who waited at the end got %v", err)
	}
	running.Wait()
	if _, err := l.Join(context.Background(), rooms.Wish{Kind: "chess", Players: party(501, 1)}); !errors.Is(err, rooms.ErrUnavailable) {
		t.Errorf("who comes after the end got %v", err)
	}
}
