package game

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
)

// Taken is the event that a player has taken a star. The rule collect raises it, and every client shows it once. The lasting
// facts are components: the score, and the star that is gone.
type Taken struct {
	By    uint32  `net:"raw"`             // the client of the player
	X     float32 `net:"0..640 step 0.1"` // the place of the star
	Y     float32 `net:"0..400 step 0.1"`
	Worth uint8   `net:"0..3"`
}

// Events returns the events of the game. Server and clients register the same ones. Final events are sent when no model
// simulates their tick again, so they are always true.
func Events() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Taken](r, event.Options{Final: true})
	return r
}

// Listen configures a client to receive the events. It calls say with a line of text for each.
func Listen(c *systems.ClientConfig, say func(line string)) {
	c.Events = event.NewClient(Events(), event.ClientConfig{})
	event.OnClient(c.Events, func(w *ecs.World, _ event.Origin, t *Taken) {
		for _, p := range ecs.All[seenPlayer](w) {
			if p.Owner.Client == t.By {
				say(fmt.Sprintf("%s takes a star: +%d", p.Player.Name, t.Worth))
			}
		}
	})
}
