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

// firstBot is the least of the players that are bots; the ids that a page draws are below.
const firstBot = 1 << 63

// crews are the bots of all rooms: they come with the first player of a room, and leave with the last. They are clients
// like any other, over UDP, and have seats of their own.
type crews struct {
	each   int // bots in a room
	preset policy.Preset

	mu      sync.Mutex
	next    uint64 // bot
	of      map[rooms.ID]*crew
	playing sync.WaitGroup
}

// crew is the bots of a room.
type crew struct {
	people int
	stop   context.CancelFunc
}

// joined is told who takes a seat.
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

// left is told whose seat is free.
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

// ended is told which rooms there are no longer.
func (x *crews) ended(r *rooms.Room, _ error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.of[r.ID()]; c != nil {
		c.stop()
		delete(x.of, r.ID())
	}
}

// end has all bots leave, and waits for that: those of rooms that are stuck, too, which have not ended.
func (x *crews) end() {
	x.mu.Lock()
	for _, c := range x.of {
		c.stop()
	}
	x.mu.Unlock()
	x.playing.Wait()
}

// play is the n-th bot of a room, until ctx ends. Who left before may not have freed its seat yet.
func (x *crews) play(ctx context.Context, r *rooms.Room, n int, id uint64) {
	for ctx.Err() == nil {
		if all, err := r.Reserve(rooms.Player{ID: id}); err == nil {
			if c, err := x.dial(ctx, n, all[0]); err == nil {
				_ = c.Run(ctx, nil) // what ends it is that of the room, or of ctx
				return
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// dial is the client of a bot on its seat.
func (x *crews) dial(ctx context.Context, n int, a rooms.Admission) (*systems.Client, error) {
	config := systems.ClientConfig{Token: a.Token, Gather: game.NewGunner(uint64(a.Seat.Room), n, x.each).Gather()}
	if x.preset.Policies().Correction != policy.CorrectionInputs {
		config.Schedule = systems.Thin
	}
	game.NewMessages().Play(&config, nil)
	return systems.Dial(ctx, "", game.CombatProtocol(), config)
}
