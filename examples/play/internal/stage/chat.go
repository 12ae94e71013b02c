package stage

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// note is a line with its author.
type note struct {
	who, text string
	colour    paint.Tint
	at        time.Time
}

// chat holds the lines of players and of events.
type chat struct {
	notes  [7]note // oldest first
	n      int
	typing bool
	line   []rune
	chars  []rune
}

// lineLength is the most bytes of a line.
const lineLength = 80

// noteTime is how long a note is shown.
const noteTime = 9 * time.Second

func (c *chat) add(n note) {
	if c.n == len(c.notes) {
		copy(c.notes[:], c.notes[1:])
		c.n--
	}
	c.notes[c.n] = n
	c.n++
}

// write reads the typed characters. It returns the line when the player presses Enter.
func (c *chat) write() (text string, done bool) {
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		c.typing = false
	}
	c.chars = ebiten.AppendInputChars(c.chars[:0])
	if c.typing {
		for _, r := range c.chars {
			if len(string(c.line))+utf8.RuneLen(r) <= lineLength {
				c.line = append(c.line, r)
			}
		}
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEnter) || inpututil.IsKeyJustPressed(ebiten.KeyNumpadEnter) {
		if c.typing = !c.typing; c.typing {
			c.line = c.line[:0]
			return "", false
		}
		text = strings.TrimSpace(string(c.line))
		return text, text != ""
	}
	if !c.typing {
		return "", false
	}
	if d := inpututil.KeyPressDuration(ebiten.KeyBackspace); (d == 1 || d > 25 && d%3 == 0) && len(c.line) > 0 {
		c.line = c.line[:len(c.line)-1]
	}
	return "", false
}

// draw draws the notes and the typed line outside the overlay.
func (c *chat) draw(to *paint.Canvas, p *panel, touch bool, now time.Time) {
	u := to.Unit
	x, y, top := 14*u, to.H-22*u, 0.0
	switch {
	case touch && to.W > to.H: // beside the map
		x, y, top = 118*u, 190*u, 80*u
	case touch || to.W < 460*u:
		y = to.H * 0.42
	}
	if p.covers(to, x, y-64*u, 60*u, 60*u) {
		x = (12 + 300 + 14) * u
		if x > to.W/2 {
			return
		}
	}
	if c.typing {
		w := min(420*u, to.W-28*u)
		to.Panel(x, y-21*u, w, 30*u, 9*u, paint.Glass)
		b := append(to.Bytes(), "say: "...)
		for _, r := range c.line {
			b = utf8.AppendRune(b, r)
		}
		if now.UnixMilli()/500%2 == 0 {
			b = append(b, '_')
		}
		to.Text(to.Normal, x+10*u, y, 0, b, paint.White)
	}
	y -= 32 * u
	for i := c.n - 1; i >= 0 && y > top; i-- {
		n := &c.notes[i]
		left := (noteTime - now.Sub(n.at)).Seconds()
		if left <= 0 {
			break
		}
		f := min(left, 1)
		shadow := paint.Tint{A: float32(0.7 * f)}
		to.Label(to.Bold, x+u, y+u, 0, n.who, shadow)
		w := to.Label(to.Bold, x, y, 0, n.who, n.colour.Toward(paint.White, 0.25).Fade(f))
		to.Label(to.Normal, x+w+9*u, y+u, 0, n.text, shadow)
		to.Label(to.Normal, x+w+8*u, y, 0, n.text, paint.White.Fade(0.9*f))
		y -= 20 * u
	}
}
