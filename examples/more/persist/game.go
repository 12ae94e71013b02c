package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

const (
	width, height = 640, 400
	reach         = 12  // distance at which a player picks up a coin
	coins         = 100 // in the world and in all bags together
	price         = 2   // of each item of the shop, in coins
)

// Move is the input of a player for one tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// Login is what a client requests when it joins. The server replaces Account by the id in the connect token.
type Login struct {
	Account uint64 `net:"raw"`
}

// Buy is a command: buy an item. Number is the number of this player's purchase, counted from 1. The server ignores a number other
// than the next one, so a client may repeat a command that was perhaps lost with the server.
type Buy struct {
	Number uint32 `net:"raw"`
	Item   uint8  `net:"0..2"`
}

// Account is the player to whom an entity belongs. Only the server has it.
type Account struct{ ID uint64 }

// Place is the position of a player or a coin.
type Place struct {
	X float32 `net:"0..640 step 0.1 axis x"`
	Y float32 `net:"0..400 step 0.1 axis y"`
}

// Coin marks a coin on the ground.
type Coin struct{}

// Score is the number of coins that a player has ever picked up.
type Score struct {
	Points uint32 `net:"raw"`
}

// Bag is the inventory of a player.
type Bag struct {
	Coins  uint16    `net:"raw"`
	Items  [3]uint16 `net:"raw"` // how many of each item
	Bought uint32    `net:"raw"` // the number of the last purchase
}

// Receipt has the number of the last purchase that is stored. A client shows later purchases as pending.
type Receipt struct {
	Bought uint32 `net:"raw"`
}

// player is a row to read: a player who has entered.
type player struct {
	Owner   components.Owner
	Account Account
	Place   Place
	Score   Score
	Bag     Bag
	Receipt Receipt
}

// stored returns what the game stores of p.
func (p *player) stored() Player { return Player{p.Account.ID, p.Place, p.Score, p.Bag} }

// Left holds players who left in recent ticks. It is a resource of the server's world.
type Left []Player

// protocol returns the definition of the game. Server and clients call it.
func protocol() *ecs.Protocol {
	p := ecs.NewProtocol("persist/1")
	ecs.Input[Move](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Coin](p, 0)
	ecs.Replicate[Score](p, 0)
	ecs.Replicate[Bag](p, ecs.OwnerOnly)
	ecs.Replicate[Receipt](p, ecs.OwnerOnly)
	ecs.Local[Account](p, 0)
	ecs.Join(p, join)
	p.Leave(leave)
	ecs.Command(p, buy)
	p.Simulate("walk", walk)
	p.Authority("collect", collect)
	return p
}

// join spawns a player without a place. The keeper adds it when it has read the player's row.
func join(w *ecs.World, client uint32, login *Login) {
	w.Spawn(components.Owner{Client: client}, Account{login.Account}, Move{})
}

// enter adds what is stored of a player to the entity that join spawned. confirmed is the number of the last stored purchase.
func enter(w *ecs.World, e ecs.Entity, p Player, confirmed uint32) {
	ecs.Add(w, e, p.Place)
	ecs.Add(w, e, p.Score)
	ecs.Add(w, e, p.Bag)
	ecs.Add(w, e, Receipt{confirmed})
}

// leave notes the row of a player who leaves. The server then despawns the player.
func leave(w *ecs.World, client uint32) {
	for _, p := range ecs.All[player](w) {
		if p.Owner.Client == client {
			left := ecs.Resource[Left](w)
			*left = append(*left, p.stored())
		}
	}
}

// walk moves players by their inputs.
func walk(w *ecs.World) {
	for _, p := range ecs.Each[struct {
		Place *Place
		In    *Move
	}](w) {
		p.Place.X = min(max(p.Place.X+3*float32(p.In.DX), 0), width)
		p.Place.Y = min(max(p.Place.Y+3*float32(p.In.DY), 0), height)
	}
}

// collect moves coins from the ground into the bags of players who touch them.
func collect(w *ecs.World) {
	for coin, c := range ecs.All[struct {
		Place Place
		Coin  Coin
	}](w) {
		for _, p := range ecs.EachInOrder[struct {
			Place *Place
			Score *Score
			Bag   *Bag
		}](w) {
			dx, dy := p.Place.X-c.Place.X, p.Place.Y-c.Place.Y
			if dx*dx+dy*dy < reach*reach {
				p.Score.Points++
				p.Bag.Coins++
				w.Despawn(coin)
				break
			}
		}
	}
}

// buy exchanges coins for an item. The shop scatters the coins on the ground.
func buy(w *ecs.World, client uint32, b *Buy) {
	for _, p := range ecs.EachOf[struct{ Bag *Bag }](w, client) {
		if b.Number == p.Bag.Bought+1 && p.Bag.Coins >= price {
			p.Bag.Bought++
			p.Bag.Items[b.Item]++
			p.Bag.Coins -= price
			scatter(w, price, uint64(client)<<32|uint64(b.Number))
		}
	}
}

// scatter puts n coins on the ground. Different streams give different places.
func scatter(w *ecs.World, n int, stream uint64) {
	draw := ecs.NewRand(w.Seed(), stream)
	for range n {
		w.Spawn(Coin{}, Place{draw.Float32() * width, draw.Float32() * height})
	}
}
