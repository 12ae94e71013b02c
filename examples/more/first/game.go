package main

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Move is the input of a player for one tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// Place is the position of a player. Its owner predicts it. Other clients draw it between two states of the server.
type Place struct {
	X float32 `net:"0..640 step 0.1 axis x"`
	Y float32 `net:"0..400 step 0.1 axis y"`
}

// It marks the players who must catch the others, and those who won the last round. The server decides it.
type It struct{ Is, Won bool }

// Round is the state of the game. The world has it once.
type Round struct {
	Ends uint32 `net:"raw"` // the tick
	Last uint32 `net:"raw"` // the client that was caught last
}

// Protocol returns the definition of the game. Server and clients call it.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("tag/1")
	ecs.Input[Move](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[It](p, 0)
	ecs.Singleton[Round](p, 0)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { // players request nothing when they join
		w.Spawn(components.Owner{Client: client}, Place{float32(40 * client % 640), 200}, It{}, Move{})
	})
	p.Simulate("run", run)
	p.Authority("tag", tag)
	return p
}

// run moves players by their inputs. The server runs it for all players, each client immediately for its own player.
func run(w *ecs.World) {
	for _, r := range ecs.Each[struct {
		Place *Place
		In    *Move
	}](w) {
		r.Place.X = min(max(r.Place.X+3*float32(r.In.DX), 0), 640)
		r.Place.Y = min(max(r.Place.Y+3*float32(r.In.DY), 0), 400)
	}
}

// tag runs only on the server. A touched player must catch the others too. A round ends when all are caught: the last one wins.
// Or it ends after 30 seconds: all who are free win. It reads first and writes afterwards, so the order of the players does not
// matter.
func tag(w *ecs.World) {
	var red []Place
	players, first := 0, ^uint32(0)
	for _, p := range ecs.All[struct { // values, to read
		Owner components.Owner
		Place Place
		It    It
	}](w) {
		players, first = players+1, min(first, p.Owner.Client)
		if p.It.Is {
			red = append(red, p.Place)
		}
	}
	round, caught := ecs.Single[Round](w), uint32(0)
	all := len(red) == players && players > 1
	over := all || len(red) == 0 || w.Tick() >= round.Ends
	for _, p := range ecs.Each[struct { // pointers, to write
		Owner *components.Owner
		Place *Place
		It    *It
	}](w) {
		if over {
			won := players > 1 && (!p.It.Is || all && p.Owner.Client == round.Last)
			*p.It = It{Is: p.Owner.Client == first, Won: won}
			continue
		}
		for _, at := range red {
			dx, dy := p.Place.X-at.X, p.Place.Y-at.Y
			if !p.It.Is && dx*dx+dy*dy < 20*20 {
				p.It.Is, caught = true, max(caught, p.Owner.Client)
			}
		}
	}
	for _, x := range ecs.Each[struct{ Round *Round }](w) {
		if over {
			x.Round.Ends = w.Tick() + 30*uint32(w.TickRate())
		}
		if caught > 0 {
			x.Round.Last = caught
		}
	}
}

// hud returns the text above a player on the screen of a client: what to do and for how long, or who won the last round.
func hud(c *systems.Client, own bool, it It) string {
	text := ""
	if it.Won {
		text = "Winner! "
	}
	if own && it.Is {
		text += "You are It: "
	} else if own {
		text += "Run: "
	}
	if own {
		ticks := float64(ecs.Single[Round](c.View()).Ends) - c.DrawnTick()
		text += fmt.Sprintf("%.0f s", max(ticks, 0)/float64(c.World().TickRate()))
	}
	return text
}
