package arena

import (
	"math"
	"slices"
	"strconv"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// drawScores draws the best players and the own player.
func (a *scene) drawScores() {
	c := a.to
	u := c.Unit
	const rows = 5
	var best [rows]*actor
	n := 0
	for _, x := range a.list {
		if x.client == 0 {
			continue
		}
		at := n
		for at > 0 && x.kills > best[at-1].kills {
			at--
		}
		if at < rows {
			copy(best[at+1:], best[at:rows-1])
			best[at] = x
			n = min(n+1, rows)
		}
	}
	if own := a.own; own != nil && n == rows && !slices.Contains(best[:], own) {
		best[rows-1] = own
	}
	w, line := 168*u, 20*u
	x, y := c.W-w-12*u, 12*u
	if c.W < 460*u { // below the status
		y = 70 * u
		x = c.W - w - 8*u
	}
	if a.stage.Covered(x, y, w, line*float64(n)+14*u) {
		return
	}
	c.Panel(x, y, w, line*float64(n)+14*u, 9*u, paint.Glass)
	for i, p := range best[:n] {
		base := y + 7*u + line*float64(i) + 14*u
		t := p.colour.Toward(paint.White, 0.35)
		if p.own {
			c.Rect(x, base-15*u, 3*u, line, paint.Own)
			t = paint.White
		}
		c.Text(c.Normal, x+12*u, base, 0, p.name.AppendTo(c.Bytes()), t)
		c.Text(c.Bold, x+w-12*u, base, 1, strconv.AppendInt(c.Bytes(), int64(p.kills), 10), t)
	}
}

// drawMap draws where everybody is.
func (a *scene) drawMap() {
	c := a.to
	u := c.Unit
	side := 128 * u
	x, y := c.W-side-12*u, c.H-side-12*u
	if a.stage.Controls.Touch() || c.W < 460*u {
		side = 92 * u
		x, y = 12*u, 70*u
	}
	if a.stage.Covered(x, y, side, side) {
		return
	}
	c.Panel(x, y, side, side, 9*u, paint.Glass)
	f := (side - 12*u) / game.Size
	for _, p := range a.list {
		if p.down {
			continue
		}
		px, py := x+6*u+p.x*f, y+6*u+p.y*f
		switch {
		case p.own:
			c.Disc(px, py, 7*u, paint.Own)
		case p.client != 0:
			c.Disc(px, py, 5*u, p.colour)
		default:
			c.Rect(px-u, py-u, 2*u, 2*u, droneColour.Fade(0.7))
		}
	}
	// The visible part.
	w, h := c.W/a.camera.Scale*f, c.H/a.camera.Scale*f
	cx, cy := x+6*u+a.camera.X*f, y+6*u+a.camera.Y*f
	x0, y0, x1, y1 := max(cx-w/2, x), max(cy-h/2, y), min(cx+w/2, x+side), min(cy+h/2, y+side)
	thin, t := max(math.Round(u*0.8), 1), paint.White.Fade(0.28)
	c.Rect(x0, y0, x1-x0, thin, t)
	c.Rect(x0, y1-thin, x1-x0, thin, t)
	c.Rect(x0, y0, thin, y1-y0, t)
	c.Rect(x1-thin, y0, thin, y1-y0, t)
}

// drawHealth draws the own health, or when the player is back.
func (a *scene) drawHealth() {
	c, own := a.to, a.own
	if own == nil {
		return
	}
	u := c.Unit
	if own.down {
		c.Rect(0, 0, c.W, c.H, paint.Tint{R: 0.02, B: 0.03, A: 0.35})
		c.Label(c.Huge, c.W/2, c.H*0.40, 0.5, "shot down", paint.White)
		b := append(c.Bytes(), "back in "...)
		b = strconv.AppendFloat(b, max(game.Respawn-own.downFor, 0), 'f', 1, 64)
		b = append(b, " s"...)
		c.Text(c.Big, c.W/2, c.H*0.40+32*u, 0.5, b, paint.Muted)
		return
	}
	if own.flash > 0 {
		f := own.flash / flashTime * 0.35
		edge := 26 * u
		for _, r := range [...][4]float64{{0, 0, c.W, edge}, {0, c.H - edge, c.W, edge}, {0, edge, edge, c.H - 2*edge}, {c.W - edge, edge, edge, c.H - 2*edge}} {
			c.Rect(r[0], r[1], r[2], r[3], paint.Bad.Fade(f))
		}
	}
	w, h := min(260*u, c.W*0.5), 12*u
	x, y := (c.W-w)/2, c.H-30*u
	full := min(max(own.shown/game.MaxHealth, 0), 1)
	c.Panel(x-44*u, y-6*u, w+50*u, h+12*u, 9*u, paint.Glass)
	if full*w > h {
		c.Panel(x, y, w*full, h, h/2, healthColour(full))
	}
	c.Text(c.Bold, x-12*u, y+h/2+c.Bold.High/2, 1, strconv.AppendInt(c.Bytes(), int64(own.health), 10), paint.White)
}
