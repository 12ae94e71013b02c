package main

import (
	"context"
	"errors"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// play is a player: it asks for a seat, plays, and where the process of its room dies or drains, it is told so and asks for
// another seat: that in its room, if somebody has that again, or one in another room.
func play(ctx context.Context, seats rooms.Seats, id uint64, say func(format string, v ...any)) {
	var last rooms.ID
	for ctx.Err() == nil {
		a, err := seat(ctx, seats, last, rooms.Player{ID: id})
		if err != nil {
			say("player %d has no seat yet: %v", id, err)
			pause(ctx, time.Second)
			continue
		}
		c, err := systems.Dial(ctx, "", Dots(), systems.ClientConfig{
			Token: a.Token, Timeout: 2 * time.Second, // after which a process that says nothing is taken for dead
			Gather: systems.Gather(func(c *systems.Client, in *Move) { in.DX = int8(c.World().Tick()/60%2)*2 - 1 }),
		})
		if err != nil {
			say("player %d cannot play: %v", id, err)
			pause(ctx, time.Second)
			continue
		}
		say("player %d has a seat in room %v of %s", id, a.Seat.Room, a.Process)
		last = a.Seat.Room
		if err = c.Run(ctx, nil); ctx.Err() == nil {
			say("player %d has lost %s: %v; asking for another seat", id, a.Process, why(err))
		}
	}
}

// seat asks for a seat in the last room, and else for one anywhere.
func seat(ctx context.Context, seats rooms.Seats, last rooms.ID, who rooms.Player) (rooms.Admission, error) {
	if last != 0 {
		if a, err := seats.Reconnect(ctx, last, who); err == nil {
			return a, nil
		}
	}
	all, err := seats.Join(ctx, rooms.Wish{Kind: "dots", Players: []rooms.Player{who}})
	if err != nil {
		return rooms.Admission{}, err
	}
	return all[0], nil
}

// why says in words why a session has ended.
func why(err error) any {
	if closed, ok := errors.AsType[*netsys.CloseError](err); ok {
		if words := rooms.Explain(closed.Reason); words != "" {
			return words
		}
	}
	return err
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
