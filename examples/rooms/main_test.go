package main

import (
	"context"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Six players over real sockets: four see each other in one room, two in another one.
func TestTenLines(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	server, err := open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Run(ctx) }()
	type sight struct {
		player uint64
		dots   int
	}
	seen := make(chan sight)
	ended := make(chan error, 6)
	seats := make(map[uint64]rooms.Seat)
	for player := uint64(1); player <= 6; player++ {
		c, seat, err := join(ctx, server, player)
		if err != nil {
			t.Fatal(err)
		}
		seats[player] = seat
		go func() {
			last := 0
			ended <- c.Run(ctx, func(c *systems.Client) {
				dots := 0
				for range ecs.All[struct{ Pos components.Position }](c.View()) {
					dots++
				}
				if dots == last {
					return
				}
				last = dots
				select {
				case seen <- sight{player, dots}:
				case <-ctx.Done():
				}
			})
		}()
	}
	of := make(map[rooms.ID]int)
	for _, s := range seats {
		of[s.Room]++
	}
	sees := make(map[uint64]int)
	all := func() bool {
		for player, s := range seats {
			if sees[player] != of[s.Room] {
				return false
			}
		}
		return true
	}
	for deadline := time.After(20 * time.Second); !all(); {
		select {
		case s := <-seen:
			sees[s.player] = s.dots
		case <-deadline:
			t.Fatalf("players see %v dots in rooms of %v", sees, of)
		}
	}
	if len(of) != 2 || of[seats[1].Room] != 4 || of[seats[6].Room] != 2 {
		t.Errorf("rooms of %v", of)
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for range 6 {
		<-ended
	}
}
