package stage

import (
	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// World is what a world brings to the client.
type World struct {
	// Name is what it is called on the command line, in lower case.
	Name string
	// Help says in a line which keys do what: "A D walk, Space jumps".
	Help string
	// Protocol makes the protocol, as the server has it.
	Protocol func() *ecs.Protocol
	// Controls say what keys, mouse and thumbs press.
	Controls Bindings
	// New makes the scene of a stage; there is one for all sessions of a program.
	New func(s *Stage) Scene
}

// Scene is a world to look at and to play. Its methods are called one at a time.
type Scene interface {
	// Configure completes the configuration of a client that is about to connect, for each
	// session anew: its inputs, mostly by [Inputs], who it asks to be ([Stage.Name]),
	// messages, scopes.
	Configure(c *systems.ClientConfig)
	// Draw draws a frame, [Stage.Step] after the one before: all of the screen, and what the
	// world shows over it. c has its view ready; it is nil while there is no session, when
	// what was there last will do.
	Draw(c *systems.Client, to *paint.Canvas)
}

// Talker is a [Scene] in which people can say something. What others say it shows by
// [Stage.Tell].
type Talker interface {
	// Say sends a line.
	Say(c *systems.Client, text string)
}

// Captioned is a [Scene] that says who the player is.
type Captioned interface {
	// Caption appends the name to b, or nothing where it is not known.
	Caption(b []byte) []byte
}

// Placed is a [Scene] in which the overlay shows what the server has.
type Placed interface {
	// Places says where things are; make it by [PlacesOf].
	Places() overlay.Places
}

// PlacesOf makes [Placed] of the component T that says where an entity is: in is the place
// in it, screen where that is on the screen, in pixels, and false where it cannot be seen.
func PlacesOf[T any](s *Stage, in func(T) overlay.Point, screen func(overlay.Point) (x, y float64, ok bool)) overlay.Places {
	return overlay.PlacesOf(in, func(p overlay.Point) (x, y float64, ok bool) {
		x, y, ok = screen(p)
		c := s.canvas
		if c == nil || c.Unit == 0 {
			return 0, 0, false
		}
		return x / c.Unit, y / c.Unit, ok && x >= 0 && y >= 0 && x < c.W && y < c.H
	})
}

// Inputs makes [systems.ClientConfig.Gather] and Partial of one function, which fills an
// input by what the devices say ([Stage.Controls]). A button that was down in any frame
// since the tick before counts, and nothing that a frame has shown is taken back.
// [Stage.Ticking] says whether it is a tick's input or one that a frame shows until then.
func Inputs[T any](s *Stage, config *systems.ClientConfig, fill func(c *systems.Client, in *T)) {
	filler := func(tick bool) systems.GatherFunc {
		return systems.Gather(func(c *systems.Client, in *T) {
			s.Controls.begin(tick)
			fill(c, in)
			s.Controls.end()
		})
	}
	config.Gather, config.Partial = filler(true), filler(false)
}

// Bindings say which buttons of a world devices press. Buttons are bits that the world
// chooses.
type Bindings struct {
	// Keys are keys, each with what it presses.
	Keys []Key
	// Click is what the left mouse button presses. 0: nothing.
	Click uint32
	// Walk is what the left thumb presses in eight directions: up, down, left and right.
	// The zero value: the stick is for [Controls.Stick] alone.
	Walk [4]uint32
	// Push is what the right thumb presses while it is away from where it came down. 0:
	// without Turn, there is no right stick, and the left one may begin anywhere.
	Push uint32
	// Turn has the right thumb turn a camera: see [Controls.Look].
	Turn bool
	// Pads are round buttons on a touch screen, from the right lower corner upwards.
	Pads []Pad
	// Aims shows a cross where the mouse is.
	Aims bool
}

// Key is a key and the buttons it presses.
type Key struct {
	Key     ebiten.Key
	Buttons uint32
}

// Pad is a round button on a touch screen.
type Pad struct {
	Name    string // short
	Buttons uint32
}
