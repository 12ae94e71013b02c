package main

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/examples/arena/game"
)

// note is a line of the chat, or a kill.
type note struct {
	who, text string
	colour    tint
	at        time.Time
}

// chat is what people say, and who shot whom.
type chat struct {
	notes  [7]note // oldest first
	n      int
	typing bool
	line   []rune
	chars  []rune
	told   uint16 // kills
	own    uint32 // the client that plays here
}

// lineLength is the most bytes of a line.
const lineLength = 80

// noteTime is how long a note stays.
const noteTime = 9 * time.Second

func (c *chat) add(n note) {
	if c.n == len(c.notes) {
		copy(c.notes[:], c.notes[1:])
		c.n--
	}
	c.notes[c.n] = n
	c.n++
}

// said takes in what somebody said.
func (c *chat) said(s *game.Said, now time.Time) {
	c.add(note{who: s.Name.String(), text: s.Text.String(), colour: c.colourOf(s.Client), at: now})
}

// feed takes in kills that have not been told.
func (c *chat) feed(s *scene, f game.Feed, now time.Time) {
	if !s.fed {
		c.told, s.fed = f.Total, true
		return
	}
	n := min(int(f.Total-c.told), f.Kills.Len())
	c.told = f.Total
	for i := f.Kills.Len() - n; i < f.Kills.Len(); i++ {
		k := f.Kills.Get(i)
		by, whom := nameOf(s, uint32(k.By)), nameOf(s, uint32(k.Whom))
		if by == "" || whom == "" {
			continue // of a player that has not come into sight yet
		}
		c.add(note{who: by, text: "shot down " + whom, colour: c.colourOf(uint32(k.By)), at: now})
	}
}

// colourOf is the colour of a client.
func (c *chat) colourOf(client uint32) tint {
	if client != 0 && client == c.own {
		return ownColour
	}
	return colours[client%uint32(len(colours))]
}

// nameOf is what a player is called, or empty.
func nameOf(s *scene, client uint32) string {
	for _, a := range s.list {
		if a.client == client {
			return a.name.String()
		}
	}
	return ""
}

// write takes in what is typed, and returns a line when it is done.
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

// draw draws the notes, and the line that is typed, where the overlay is not.
func (c *chat) draw(to *canvas, p *panel, touch bool, now time.Time) {
	u, g := to.unit, to.glyphs
	x, y, top := 14*u, to.h-22*u, 0.0
	switch {
	case touch && to.w > to.h: // beside the map
		x, y, top = 118*u, 190*u, 80*u
	case touch || to.w < 460*u:
		y = to.h * 0.42
	}
	if p.covers(to, x, y-64*u, 60*u, 60*u) {
		x = (12 + 300 + 14) * u
		if x > to.w/2 {
			return
		}
	}
	if c.typing {
		w := min(420*u, to.w-28*u)
		to.panel(x, y-21*u, w, 30*u, 9*u, glass)
		b := append(to.buf[:0], "say: "...)
		for _, r := range c.line {
			b = utf8.AppendRune(b, r)
		}
		if now.UnixMilli()/500%2 == 0 {
			b = append(b, '_')
		}
		to.text(g.normal, x+10*u, y, 0, b, white)
	}
	y -= 32 * u
	for i := c.n - 1; i >= 0 && y > top; i-- {
		n := &c.notes[i]
		left := (noteTime - now.Sub(n.at)).Seconds()
		if left <= 0 {
			break
		}
		f := min(left, 1)
		shadow := tint{0, 0, 0, float32(0.7 * f)}
		to.label(g.bold, x+u, y+u, 0, n.who, shadow)
		w := to.label(g.bold, x, y, 0, n.who, n.colour.toward(white, 0.25).fade(f))
		to.label(g.normal, x+w+9*u, y+u, 0, n.text, shadow)
		to.label(g.normal, x+w+8*u, y, 0, n.text, white.fade(0.9*f))
		y -= 20 * u
	}
}
