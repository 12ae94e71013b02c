package runner

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// player is one bot with its client and link.
type player struct {
	n      int
	world  World
	client *systems.Client
	link   *netsys.Conditioner
	bot    Bot
	id     atomic.Uint32 // the server's number for it
	watch  playerWatch
	own    ecs.Entity // in the client's world
	drawn  ecs.Entity // in the view
	live   struct {
		mu    sync.Mutex
		at    time.Time
		stats systems.ClientStats
	}
}

// advance runs what is due, draws a frame for every step and watches.
func (p *player) advance(m *match, now time.Time) {
	c := p.client
	if c.Advance(now) == 0 {
		return
	}
	p.id.Store(c.ID())
	c.Frame(now)
	if m == nil || m.o.thin {
		return
	}
	p.watch.frame(m, p, now)
}

// publish copies the client's figures for whoever watches, twice a second; it reports
// whether it did.
func (p *player) publish(now time.Time) bool {
	if now.Sub(p.live.at) < publishEvery {
		return false
	}
	p.live.mu.Lock()
	defer p.live.mu.Unlock()
	p.live.at, p.live.stats = now, p.client.Stats()
	return true
}

// release lets go of the keys and makes the link perfect.
func (p *player) release() {
	p.bot.Release()
	_ = p.link.SetLinks(netsys.Link{}, netsys.Link{})
}

// find returns the own entity in w, looking it up again only when it is gone.
func (p *player) find(w *ecs.World, e *ecs.Entity) bool {
	if w.Alive(*e) {
		return true
	}
	var ok bool
	*e, ok = p.client.Own(w)
	return ok
}

// direction is the unit vector at a share of the full turn.
func direction(turn float64) (dx, dy float32) {
	s, c := math.Sincos(2 * math.Pi * turn)
	return float32(c), float32(s)
}
