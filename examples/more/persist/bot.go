package main

import (
	"context"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// bot is a client that walks to the nearest coins and spends them.
type bot struct {
	asked uint32 // the number of the last purchase that it has requested
}

// think fills the input of the next tick. Every ten ticks it buys an item, if it can and its last purchase is stored.
func (b *bot) think(c *systems.Client, in *Move) {
	w := c.World()
	own, _ := c.Own(w)
	me, bag, receipt := ecs.Get[Place](w, own), ecs.Get[Bag](w, own), ecs.Get[Receipt](w, own)
	if me == nil || bag == nil || receipt == nil {
		return
	}
	if c.Input()%10 == 0 && bag.Coins >= price && bag.Bought == receipt.Bought {
		number := bag.Bought + 1
		if systems.Command(c, Buy{Number: number, Item: uint8(number % 3)}) == nil {
			b.asked = number
		}
	}
	nearest := float32(width * width)
	for _, coin := range ecs.All[struct {
		Place Place
		Coin  Coin
	}](w) {
		if dx, dy := coin.Place.X-me.X, coin.Place.Y-me.Y; dx*dx+dy*dy < nearest {
			nearest = dx*dx + dy*dy
			in.DX, in.DY = direction(dx), direction(dy)
		}
	}
}

// direction returns the sign of a distance, or 0 for a short one.
func direction(d float32) int8 {
	switch {
	case d < -2:
		return -1
	case d > 2:
		return 1
	}
	return 0
}

// play plays in real time until ctx ends. A bot with the same id is the same player.
func play(ctx context.Context, addr string, id uint64) error {
	c, err := systems.Dial(ctx, addr, protocol(), systems.ClientConfig{
		Gather: systems.Gather(new(bot).think), Schedule: systems.Thin,
		Session: systems.ClientSession{ClientID: id},
	})
	if err != nil {
		return err
	}
	return c.Run(ctx, nil)
}
