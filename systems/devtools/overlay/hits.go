package overlay

import (
	"image/color"
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Hit describes how the server judged a shot of this player. A game sends it to the shooter in a message of its own
// and passes it to [Overlay.Hit]. Unknown fields may be zero.
type Hit struct {
	// From is the origin of the shot on the server.
	From Point
	// Target is the hit entity, 0 for none.
	Target components.NetID
	// Seen is the position of the target in the past that the server queried (lagcomp.View). Without a target it is
	// the end of the shot.
	Seen Point
	// Now is the position of the target on the server at that moment. It is not used without a target.
	Now Point
	// Drawn is the queried server tick, lagcomp.View.Tick. Tick is the tick that simulated the shot. If Drawn is 0,
	// the overlay cannot show what was on the screen.
	Drawn float64
	Tick  uint32
	// Hit is the decision of the game.
	Hit bool
	// Clamp says whether the server accepted the client's claim.
	Clamp lagcomp.Clamp
}

// hits stores the newest shots.
type hits struct {
	ring   [8]shot
	newest int
}

// shot is a hit, with the position on the screen.
type shot struct {
	Hit
	at       time.Time // time of the call of Hit, zero if there is none
	onScreen Point
	known    bool // onScreen is known
}

// shotTime is how long a shot is shown.
const shotTime = 4 * time.Second

// Hit shows a shot that the server has judged, for a few seconds: the position of the target on the shooter's screen,
// in the server's query, and on the server at that moment. Positions on the screen are known for the last 128 frames,
// for up to 64 visible entities, while the overlay is shown.
func (o *Overlay) Hit(h Hit) {
	if sum := h.From.apart(h.Seen) + h.From.apart(h.Now) + math.Abs(h.Drawn); !(sum < math.MaxUint32) {
		return // ignore positions that are not finite
	}
	k := &o.hits
	k.newest = (k.newest + 1) % len(k.ring)
	s := shot{Hit: h, at: o.now}
	if h.Target != 0 && h.Drawn > 0 {
		s.onScreen, s.known = o.marks.drawn(h.Drawn, h.Target)
	}
	k.ring[k.newest] = s
}

// back returns how many ticks the server went back for a shot.
func (s *shot) back() float64 { return max(float64(s.Tick)-s.Drawn, 0) }

// colour returns the colour of a shot.
func (s *shot) colour() color.NRGBA {
	switch {
	case s.Target == 0:
		return muted
	case s.Hit.Hit:
		return green
	}
	return red
}

// draw draws recent shots: a line to the queried position, with a cross; from there to the current position, with a
// ring; and a square around the position on the screen.
func (k *hits) draw(o *Overlay) {
	p := &o.pen
	for i := range k.ring {
		s := &k.ring[i]
		left := shotTime - o.now.Sub(s.at)
		if s.at.IsZero() || left <= 0 {
			continue
		}
		by := min(left.Seconds(), 1)
		c := fade(s.colour(), by)
		fx, fy, from := o.places.screen(s.From)
		sx, sy, seen := o.places.screen(s.Seen)
		if !from || !seen {
			continue
		}
		p.Line(fx, fy, sx, sy, 1, fade(c, 0.6))
		if s.Target == 0 {
			continue
		}
		p.cross(sx, sy, 6, 2, c)
		if nx, ny, ok := o.places.screen(s.Now); ok {
			p.Line(sx, sy, nx, ny, 1, fade(cyan, 0.6*by))
			p.ring(nx, ny, 8, 1.5, fade(cyan, by))
		}
		if x, y, ok := o.places.screen(s.onScreen); ok && s.known {
			c, r := fade(white, by), 9.0
			p.Line(x-r, y-r, x+r, y-r, 1, c)
			p.Line(x+r, y-r, x+r, y+r, 1, c)
			p.Line(x+r, y+r, x-r, y+r, 1, c)
			p.Line(x-r, y+r, x-r, y-r, 1, c)
		}
	}
}

// explain draws a row about the newest shot.
func (k *hits) explain(o *Overlay, x, y, w float64) {
	p, s := &o.pen, &k.ring[k.newest]
	p.cross(x+6, y-4, 5, 1.5, s.colour())
	p.label(x+18, y, "last shot", muted)
	if s.at.IsZero() {
		return
	}
	b := p.buf[:0]
	switch {
	case s.Target == 0:
		b = append(b, "met nobody"...)
	case s.Hit.Hit:
		b = append(b, "hit"...)
	default:
		b = append(b, "missed"...)
	}
	if s.Drawn > 0 {
		b = appendFigure(append(b, ", "...), math.Round(s.back()*o.samples.step))
		b = append(b, " ms back"...)
	}
	if s.known {
		b = appendFigure(append(b, ", "...), s.onScreen.apart(s.Seen))
		b = append(b, " off"...)
	}
	if s.Clamp != lagcomp.Believed {
		b = append(append(b, ", "...), s.Clamp.String()...)
	}
	p.right(x+w, y, b, s.colour())
}
