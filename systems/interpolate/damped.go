package interpolate

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// damped moves other clients' entities toward their newest confirmed states.
type damped struct {
	*states
	law    law       // a damping
	newest uint32    // tick of the newest snapshot
	heard  time.Time // when that snapshot was first drawn
}

func (d *damped) draw(float64) progress {
	now, newest := d.now(), d.mirror.Newest.Tick
	if newest != d.newest || d.heard.IsZero() {
		d.newest, d.heard = newest, now
	}
	d.head = float64(newest)
	d.sight = sight{head: d.head, from: newest, votes: 1}
	for _, r := range d.mirror.Entities.All() {
		f := d.figures.Of(r)
		switch {
		case r.Removed.Tick != 0, d.world.Netcode().Suspended(r.Entity):
			d.hide(r.ID, f)
		case !r.Entity.IsZero():
			d.drawWorld(r.ID, f, r.Entity, d.simulates(r.Entity))
		}
	}
	d.drawSpawns()
	if now.Sub(d.heard) > 3*d.world.StepDuration()*time.Duration(d.Every()) { // two consecutive snapshots are missing
		return stalls
	}
	return moves
}

// changes is called before an entity of another client has another state.
func (d *damped) changes(r *mirror.Replica) {
	f := d.figures.Of(r)
	if !f.error.waiting() && d.keepDrawn(f, d.world, r.Entity, d.world.Netcode().Mask(r.Entity), d.frame) {
		f.error.wait(d.law)
	}
}
