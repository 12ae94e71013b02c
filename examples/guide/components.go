package guide

import (
	"github.com/tactusgo/tactus/components"
)

// Drive is the input of a player for one tick.
type Drive struct {
	Gas, Turn int8 `net:"-1..1"`
	Fire      bool `net:"edge"` // a key press: the server does not repeat it when an input is missing
}

// Place is the position of an entity, in units from the middle of the field.
type Place struct {
	X float32 `net:"-500..500 step 0.05 axis x"`
	Y float32 `net:"-500..500 step 0.05 axis y"`
}

// Hull is the body of a tank. Its owner predicts the heading. The server alone decides how much armour is left.
type Hull struct {
	Heading uint16 `net:"0..65535 step 64 angle along"`
	Reload  uint8  `net:"0..60"`         // ticks until the gun may fire again
	Left    uint8  `net:"0..100 server"` // armour
}

// Crew is the name and the team of the player in a tank.
type Crew struct {
	Name components.Text[[16]byte]
	Team uint8 `net:"enum 2"`
}

// Shell is a shell in flight. Simulate spawns it, so the shooter's client shows it immediately.
type Shell struct {
	Heading uint16 `net:"0..65535 step 64 angle along"`
	Ticks   uint8  `net:"0..90"`
	Team    uint8  `net:"enum 2"`
}

// Flag is the flag of a team. While a tank carries the flag, the view draws the flag on this tank.
type Flag struct {
	Carrier components.NetID `net:"ref parent"` // 0: not carried
	Team    uint8            `net:"enum 2"`
}

// Mine explodes under a tank of the other team. That team cannot see it.
type Mine struct {
	Team uint8 `net:"enum 2"`
}

// Ammo is the number of shells left. Only the owner receives it.
type Ammo struct {
	Shells uint8 `net:"0..99"`
}

// Score is a singleton: the world has it once.
type Score struct {
	Points [2]uint16 `net:"0..9999"`
}

// tank is a row of pointers: the components of a tank that systems read and write.
type tank struct {
	Owner *components.Owner
	Place *Place
	Hull  *Hull
	Crew  *Crew
	Ammo  *Ammo
	In    *Drive
}

// shell is the row for shells.
type shell struct {
	Place *Place
	Shell *Shell
}

// flag is the row for flags. Only server systems use it.
type flag struct {
	Place *Place
	Flag  *Flag
}

// seenMine is a row of values: copies to read, also of entities that this peer does not simulate.
type seenMine struct {
	Place Place
	Mine  Mine
}

// ahead returns the place at a distance in the direction of heading, inside the field.
func (p Place) ahead(heading uint16, distance float32) Place {
	sin, cos := sincos(heading)
	return Place{clamp(p.X + cos*distance), clamp(p.Y + sin*distance)}
}

// near reports whether two places are less than distance apart.
func (p Place) near(q Place, distance float32) bool {
	dx, dy := p.X-q.X, p.Y-q.Y
	return dx*dx+dy*dy < distance*distance
}
