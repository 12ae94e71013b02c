package guide

import (
	"github.com/tactusgo/tactus/components"
)

// Drive is the input: what a player asks for in one tick.
type Drive struct {
	Gas, Turn int8 `net:"-1..1"`
	Fire      bool `net:"edge"` // a press: never repeated where an input is missing
}

// Place is where something is.
type Place struct {
	X float32 `net:"-500..500 step 0.05 axis x"`
	Y float32 `net:"-500..500 step 0.05 axis y"`
}

// Hull is the tank. Its owner predicts where it points; how much of it is left, the server decides.
type Hull struct {
	Heading uint16 `net:"0..65535 step 64 angle along"`
	Reload  uint8  `net:"0..60"`         // ticks until the gun may fire again
	Left    uint8  `net:"0..100 server"` // of its armour
}

// Crew is who sits in a tank: as the player joined, or asked for since.
type Crew struct {
	Name components.Text[[16]byte]
	Team uint8 `net:"enum 2"`
}

// Shell flies for some ticks. Simulate spawns it, so that the shooter sees it at once.
type Shell struct {
	Heading uint16 `net:"0..65535 step 64 angle along"`
	Ticks   uint8  `net:"0..90"`
	Team    uint8  `net:"enum 2"`
}

// Flag is what teams fight for. Whose tank carries it is drawn with it on top.
type Flag struct {
	Carrier components.NetID `net:"ref parent"` // 0: nobody
	Team    uint8            `net:"enum 2"`
}

// Mine waits for a tank of the other team, which does not see it.
type Mine struct {
	Team uint8 `net:"enum 2"`
}

// Ammo is for its owner's eyes.
type Ammo struct {
	Shells uint8 `net:"0..99"`
}

// Score is a singleton: what there is one of.
type Score struct {
	Points [2]uint16 `net:"0..9999"`
}

// tank is a row of pointers: what a system wants to touch.
type tank struct {
	Owner *components.Owner
	Place *Place
	Hull  *Hull
	Crew  *Crew
	Ammo  *Ammo
	In    *Drive
}

// shell is another.
type shell struct {
	Place *Place
	Shell *Shell
}

// flag is another, for what the server alone touches.
type flag struct {
	Place *Place
	Flag  *Flag
}

// seenMine is a row of values: what there is to look at, simulated here or not.
type seenMine struct {
	Place Place
	Mine  Mine
}

// at is a place beside another.
func (p Place) at(heading uint16, distance float32) Place {
	sin, cos := sincos(heading)
	return Place{clamp(p.X + cos*distance), clamp(p.Y + sin*distance)}
}

// near reports whether two places are close.
func (p Place) near(q Place, distance float32) bool {
	dx, dy := p.X-q.X, p.Y-q.Y
	return dx*dx+dy*dy < distance*distance
}
