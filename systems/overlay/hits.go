package overlay

import (
	"image/color"
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Hit is what the server made of one shot of this player: a game sends it to the
// shooter, in a message of its own, and gives it to [Overlay.Hit]. What a game does not
// know may be left zero.
type Hit struct {
	// From is where the shot came from, as the server had it.
	From Point
	// Target is whom it met, 0 for nobody.
	Target components.NetID
	// Seen is where the target was in the past that the server looked at
	// (lagcomp.View); where there is no target, where the shot ended.
	Seen Point
	// Now is where the server had the target at that moment; not used where there is no
	// target.
	Now Point
	// Drawn is the server tick that was looked at, lagcomp.View.Tick, and Tick the one in
	// which the shot was judged. With Drawn 0 the overlay cannot tell what was on the
	// screen.
	Drawn float64
	Tick  uint32
	// Hit is what the game decided.
	Hit bool
	// Clamp says whether the client's claim was believed.
	Clamp lagcomp.Clamp
}

// hits are the newest shots.
type hits struct {
	ring   [8]shot
	newest int
}

// shot is a hit with what the overlay knows of it.
type shot struct {
	Hit
	at       time.Time // it was told, zero for none
	onScreen Point
	known    bool // that was on the screen
}

// shotTime is how long a shot is shown.
const shotTime = 4 * time.Second

// Hit shows a shot that the server has judged, for a few seconds: where the shooter's
// screen had the target, where the server looked, and where the target was by then. What
// the screen had is known for the last 128 frames, for up to 64 entities in sight,
// while the overlay is shown.
func (o *Overlay) Hit(h Hit) {
	if sum := h.From.apart(h.Seen) + h.From.apart(h.Now) + math.Abs(h.Drawn); !(sum < math.MaxUint32) {
		return // no places of a world
	}
	k := &o.hits
	k.newest = (k.newest + 1) % len(k.ring)
	s := shot{Hit: h, at: o.now}
	if h.Target != 0 && h.Drawn > 0 {
		s.onScreen, s.known = o.marks.drawn(h.Drawn, h.Target)
	}
	k.ring[k.newest] = s
}

// back is how far the server went back for a shot, in ticks.
func (s *shot) back() float64 { return max(float64(s.Tick)-s.Drawn, 0) }

// colour is what a shot is drawn in.
func (s *shot) colour() color.NRGBA {
	switch {
	case s.Target == 0:
		return muted
	case s.Hit.Hit:
		return green
	}
	return red
}

// draw draws the shots of late: a line to where the server looked, crossed; from there to
// where the target was by then, ringed; and a square around what was on the screen.
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

// explain says what the newest shot was.
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
