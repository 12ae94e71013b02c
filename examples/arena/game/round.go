package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Points of a round.
const (
	// Goal is the number of points that wins a round.
	Goal = 30

	playerPoints, dronePoints = 3, 1 // for shooting one down
)

// Times of a round in seconds.
const (
	roundTime = 180
	breakTime = 6
)

// Round is a singleton with the state of the round. A round ends when a player has [Goal] points, or after three minutes.
type Round struct {
	Left   uint8  `net:"0..255"`   // seconds until the round or the break ends
	Winner uint16 `net:"0..65535"` // client who has won, in the break; 0 during a round
}

// rated is the row of players with their points.
type rated struct {
	Owner *components.Owner
	Who   *Player
}

// keepTime ends rounds and breaks, once a second.
func keepTime(w *ecs.World) {
	if w.Tick()%uint32(w.TickRate()) != 0 {
		return
	}
	now := ecs.Single[Round](w)
	now.Left -= min(now.Left, 1)
	best, winner := uint16(0), uint16(0)
	for _, p := range ecs.EachInOrder[rated](w) {
		if p.Who.Points > best {
			best, winner = p.Who.Points, uint16(p.Owner.Client)
		}
	}
	switch {
	case now.Winner != 0 && now.Left == 0:
		for _, p := range ecs.Each[rated](w) {
			p.Who.Points = 0
		}
		now = Round{Left: roundTime}
	case now.Winner == 0 && winner != 0 && (now.Left == 0 || best >= Goal):
		now = Round{Left: breakTime, Winner: winner}
	case now.Left == 0:
		now.Left = roundTime
	}
	for _, r := range ecs.Each[struct{ Round *Round }](w) {
		*r.Round = now
	}
}

// score adds the points for shooting down a victim, except in a break.
func score(w *ecs.World, by *Player, player bool) {
	by.Kills++
	switch {
	case ecs.Single[Round](w).Winner != 0:
	case player:
		by.Points += playerPoints
	default:
		by.Points += dronePoints
	}
}
