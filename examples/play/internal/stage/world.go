package stage

import (
	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// World describes a world to the client.
type World struct {
	// Name is the name on the command line, in lower case.
	Name string
	// Help is a line about the keys: "A D walk, Space jumps".
	Help string
	// Protocol builds the same protocol as the server's.
	Protocol func() *ecs.Protocol
	// Controls maps keys, mouse and thumbs to buttons.
	Controls Bindings
	// New creates the scene of a stage. The scene serves all sessions of the program.
	New func(s *Stage) Scene
}

// Scene draws a world and provides its inputs. Its methods are never called concurrently.
type Scene interface {
	// Configure completes the configuration of a client before each connection: its inputs, usually with [Inputs], its
	// login request with [Stage.Name], messages and scopes.
	Configure(c *systems.ClientConfig)
	// Draw draws a whole frame, [Stage.Step] after the previous one. The view of c is up to date. c is nil while there is
	// no session; then Draw may repeat the last picture.
	Draw(c *systems.Client, to *paint.Canvas)
}

// Talker is a [Scene] with a chat. It shows received lines with [Stage.Tell].
type Talker interface {
	// Say sends a line.
	Say(c *systems.Client, text string)
}

// Captioned is a [Scene] that shows the player's name.
type Captioned interface {
	// Caption appends the name to b, or nothing if the name is unknown.
	Caption(b []byte) []byte
}

// Placed is a [Scene] for which the overlay shows the server's positions.
type Placed interface {
	// Places returns the positions: see [PlacesOf].
	Places() overlay.Places
}

// PlacesOf returns the positions of entities for [Placed] from their component T. in returns the position in T. screen
// converts it to pixels and returns false if it is not visible.
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

// Inputs sets Gather and Partial of [systems.ClientConfig] to a function that gathers an input from [Stage.Controls]. A
// button counts if it was pressed in any frame since the previous tick. Buttons that a frame has shown stay pressed until
// the tick. [Stage.Ticking] distinguishes the input of a tick from the input of a frame.
func Inputs[T any](s *Stage, config *systems.ClientConfig, fill func(c *systems.Client, in *T)) {
	filler := func(tick bool) systems.GatherFunc {
		return systems.Gather(func(c *systems.Client, in *T) {
			s.Controls.begin(tick)
			fill(c, in)
			s.Controls.end()
		})
	}
	config.Gather, config.Prediction.Partial = filler(true), filler(false)
}

// Bindings maps devices to the buttons of a world. Buttons are bits that the world defines.
type Bindings struct {
	// Keys maps keys to buttons.
	Keys []Key
	// Click is the buttons of the left mouse button. 0: none.
	Click uint32
	// Walk lists the buttons of the left thumb for up, down, left and right. The zero value leaves the stick to
	// [Controls.Stick].
	Walk [4]uint32
	// Push is the buttons of the right thumb while it is away from its starting point. If Push is 0 and Turn is false,
	// there is no right stick, and the left one may start anywhere.
	Push uint32
	// Turn lets the right thumb turn the camera: see [Controls.Look].
	Turn bool
	// Pads are touch buttons, from the lower right corner upwards.
	Pads []Pad
	// Aims shows a cross at the mouse.
	Aims bool
}

// Key is a key and its buttons.
type Key struct {
	Key     ebiten.Key
	Buttons uint32
}

// Pad is a round touch button.
type Pad struct {
	Name    string // short
	Buttons uint32
}
