package arena

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// verdicts forwards the server's decisions about the own player's shots to the overlay, each once.
type verdicts struct {
	client *systems.Client
	newest uint32 // tick of the newest forwarded decision
}

// take forwards a new decision.
func (n *verdicts) take(c *systems.Client, pass func(overlay.Hit)) {
	w := c.World()
	own, _ := c.Own(w)
	v := ecs.Get[game.Verdict](w, own)
	if v == nil || n.client == c && v.Tick <= n.newest {
		return
	}
	known := n.client == c // decisions of an earlier session are old
	if n.client, n.newest = c, v.Tick; known {
		pass(hitOf(v))
	}
}

// hitOf converts a decision for the overlay.
func hitOf(v *game.Verdict) overlay.Hit {
	point := func(s game.Spot) overlay.Point {
		x, y := s.Place()
		return overlay.Point{X: x, Y: y}
	}
	h := overlay.Hit{From: point(v.From), Target: v.Whom, Seen: point(v.Then), Now: point(v.Now),
		Tick: v.Tick, Hit: v.Whom != 0, Clamp: lagcomp.Clamp(v.Clamp)}
	if v.Ago > 0 {
		h.Drawn = float64(v.Tick) - float64(v.Ago)/64
	}
	return h
}
