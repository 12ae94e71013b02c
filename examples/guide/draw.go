package guide

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Sprite is a picture on the screen. It stands for the sprite of an engine.
type Sprite struct {
	X, Y    float32
	Own     bool
	Visible bool
}

// Screen draws a client's view. A sprite disappears with its entity: when the entity is destroyed, leaves the player's
// sight, or was predicted by mistake.
type Screen struct {
	client  *systems.Client
	sprites *ecs.Attachments[Place, *Sprite]
}

// NewScreen returns a screen for a client.
func NewScreen(c *systems.Client) *Screen {
	return &Screen{c, ecs.NewAttachments[Place](func(_ ecs.Entity, s **Sprite) { (*s).Visible = false })}
}

// Draw updates the sprites. Call it in each frame, after Client.Frame has updated the view.
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
