package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/overlay"
)

// verdicts passes on what the server made of the own player's shots, each once.
type verdicts struct {
	client *systems.Client
	newest uint32 // tick of the newest one passed on
}

// take looks for new ones.
func (n *verdicts) take(c *systems.Client, pass func(overlay.Hit)) {
	w := c.World()
	own, _ := c.Own(w)
	all := ecs.Get[game.Verdicts](w, own)
	if all == nil {
		return
	}
	known := n.client == c // those of before the session are old
	if !known {
		n.client, n.newest = c, 0
	}
	for v, ok := all.Next(n.newest); ok; v, ok = all.Next(n.newest) {
		if n.newest = v.Tick; known {
			pass(hitOf(&v))
		}
	}
}

// hitOf is a verdict as the overlay shows it.
func hitOf(v *game.Verdict) overlay.Hit {
	point := func(p components.Position) overlay.Point { return overlay.Point{X: float64(p.X), Y: float64(p.Y)} }
	h := overlay.Hit{From: point(v.From), Target: v.Whom, Seen: point(v.Then), Now: point(v.Now),
		Tick: v.Tick, Hit: v.Whom != 0, Clamp: lagcomp.Clamp(v.Clamp)}
	if v.Ago > 0 {
		h.Drawn = float64(v.Tick) - float64(v.Ago)
	}
	return h
}
