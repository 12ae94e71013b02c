package game

import (
	"fmt"
	"iter"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Colours are the colours that players can choose. RGB is 0xRRGGBB.
var Colours = [...]struct {
	Name string
	RGB  uint32
}{{"Blue", 0x4a90d9}, {"Red", 0xd94a4a}, {"Green", 0x3fa45b}, {"Purple", 0xa45bc4}, {"Orange", 0xd98a2b}, {"Teal", 0x2ba8a4}}

// Gold is the colour of stars. Grey is the colour of players who are away.
const (
	Gold uint32 = 0xd9b62b
	Grey uint32 = 0x8a8f99
)

// Dot is a player or a star to draw.
type Dot struct {
	X, Y   float32 // of its middle, in units
	R      float32 // radius, in units
	Colour uint32  // 0xRRGGBB
	Name   string  // with the score; "": none
	Own    bool    // it is the client's own player
}

// These rows of values are copies to read. [ecs.All] yields them on every peer.
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

// Look yields the dots to draw for a client, stars first. It yields nothing before the client is connected.
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
			own, colour := p.Owner.Client == c.ID(), Colours[p.Player.Colour].RGB
			if p.Player.Away {
				colour = Grey
			}
			if !yield(Dot{p.Place.X, p.Place.Y, 10, colour, p.Player.label(), own}) {
				return
			}
		}
	}
}

// label returns a player's name with the score.
func (p *Player) label() string { return fmt.Sprintf("%s %d", p.Name, p.Score) }
