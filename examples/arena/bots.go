package main

import (
	"context"
	"sync"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/rooms"
)

// firstBot is the lowest player id of bots. The ids that a page draws at random are lower.
const firstBot = 1 << 63

// crews manages the bots of all rooms. Bots join a room after its first player and leave after its last player. They are
// normal clients over UDP and use their own seats.
type crews struct {
	each   int // bots in a room
	preset policy.Model

	mu      sync.Mutex
	next    uint64 // number of bots started
	of      map[rooms.ID]*crew
	playing sync.WaitGroup
}

// crew is the bots of one room.
type crew struct {
	people int // human players in the room
	stop   context.CancelFunc
}

// joined counts a player who takes a seat, and starts the bots with the first player.
func (x *crews) joined(r *rooms.Room, s rooms.Seat, _ uint32) {
	if x.each == 0 || s.Player >= firstBot {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.of[r.ID()]
	if c == nil {
		c = &crew{}
		x.of[r.ID()] = c
	}
	if c.people++; c.people > 1 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	for n := range x.each {
		x.next++
		id := firstBot + x.next
		x.playing.Go(func() { x.play(ctx, r, n, id) })
	}
}

// left counts a player whose seat is free again, and stops the bots with the last player.
func (x *crews) left(r *rooms.Room, s rooms.Seat) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.of[r.ID()]
	if c == nil || s.Player >= firstBot {
		return
	}
	if c.people--; c.people == 0 {
		c.stop()
	}
}

// ended stops the bots of a room that has ended.
func (x *crews) ended(r *rooms.Room, _ error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.of[r.ID()]; c != nil {
		c.stop()
		delete(x.of, r.ID())
	}
}

// end stops all bots and waits for them, including the bots of rooms that hang.
func (x *crews) end() {
	x.mu.Lock()
	for _, c := range x.of {
		c.stop()
	}
	x.mu.Unlock()
	x.playing.Wait()
}

// play runs bot n of a room until ctx ends. It retries, because bots that left before may still hold their seats.
func (x *crews) play(ctx context.Context, r *rooms.Room, n int, id uint64) {
	for ctx.Err() == nil {
		if all, err := r.Reserve(rooms.Player{ID: id}); err == nil {
			if c, err := x.dial(ctx, n, all[0]); err == nil {
				_ = c.Run(ctx, nil) // it ends with the room or with ctx
				return
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// dial connects the client of bot n with an admission.
func (x *crews) dial(ctx context.Context, n int, a rooms.Admission) (*systems.Client, error) {
	config := systems.ClientConfig{Session: systems.ClientSession{Token: a.Token}, Gather: game.NewGunner(uint64(a.Seat.Room), n, x.each).Gather()}
	if !policy.TraitsOf(x.preset).RelaysInputs {
		config.Schedule = systems.Thin
	}
	game.NewMessages().Play(&config, nil)
	return systems.Dial(ctx, "", game.CombatProtocol(), config)
}
