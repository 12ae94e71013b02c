package guide

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Sprite is what the game's renderer draws; it stands for that of an engine.
type Sprite struct {
	X, Y    float32
	Own     bool
	Visible bool
}

// Screen draws a client's view. Sprites end with what they show, however that ends: destroyed, out of sight, or
// predicted and never there.
type Screen struct {
	client  *systems.Client
	sprites *ecs.Attachments[Place, *Sprite]
}

// NewScreen makes one.
func NewScreen(c *systems.Client) *Screen {
	return &Screen{c, ecs.NewAttachments[Place](func(_ ecs.Entity, s **Sprite) { (*s).Visible = false })}
}

// Draw is called in each frame, when the client has brought its view up to date by Client.Frame.
func (s *Screen) Draw() {
	view := s.client.View()
	me, _ := s.client.Own(view)
	s.sprites.Sweep(view)
	for e, d := range ecs.All[struct{ Place Place }](view) {
		sprite := s.sprites.Of(e)
		if sprite == nil {
			sprite = s.sprites.Attach(view, e, &Sprite{Visible: true, Own: e == me})
		}
		(*sprite).X, (*sprite).Y = d.Place.X, d.Place.Y
	}
}
