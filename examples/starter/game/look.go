package game

import (
	"fmt"
	"iter"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Colours are those that players can have, as 0xRRGGBB, and Gold is that of stars.
var Colours = [...]uint32{0x4a90d9, 0xd94a4a, 0x3fa45b, 0xa45bc4, 0xd98a2b, 0x2ba8a4}

// Gold is the colour of stars, Grey that of players who are away.
const (
	Gold uint32 = 0xd9b62b
	Grey uint32 = 0x8a8f99
)

// Dot is something to draw.
type Dot struct {
	X, Y   float32 // of its middle, in units
	R      float32 // half its width, in units
	Colour uint32  // 0xRRGGBB
	Name   string  // with the score; "": none
	Own    bool    // it is the player's own
}

// seen are the rows of what there is to look at: values, which [ecs.All] yields on every peer.
type (
	seenPlayer struct {
		Owner  components.Owner
		Place  Place
		Player Player
	}
	seenStar struct {
		Place Place
		Star  Star
	}
)

// Look yields what there is to draw for a client, stars first. It yields nothing before the server has let it in.
func Look(c *systems.Client) iter.Seq[Dot] {
	return func(yield func(Dot) bool) {
		if !c.Connected() {
			return
		}
		for _, s := range ecs.All[seenStar](c.View()) {
			if !yield(Dot{X: s.Place.X, Y: s.Place.Y, R: 3 + float32(s.Star.Worth), Colour: Gold}) {
				return
			}
		}
		for _, p := range ecs.All[seenPlayer](c.View()) {
			own, colour := p.Owner.Client == c.ID(), Colours[p.Player.Colour]
			if p.Player.Away {
				colour = Grey
			}
			if !yield(Dot{p.Place.X, p.Place.Y, 10, colour, p.Player.label(), own}) {
				return
			}
		}
	}
}

// label is a player's name with the score.
func (p *Player) label() string { return fmt.Sprintf("%s %d", p.Name, p.Score) }
