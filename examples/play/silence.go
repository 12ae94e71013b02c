package main

import (
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems"
)

// silence is how long nothing has come from the server. Until the session ends of it, the
// world merely stands still, which looks as if the game did.
type silence struct {
	client  *systems.Client
	packets uint64 // that had come when some last did
	since   time.Time
}

// tooLong is when the player is told.
const tooLong = 1500 * time.Millisecond

// listen looks whether something has come.
func (s *silence) listen(c *systems.Client, now time.Time) {
	if n := c.Stats().Session.DatagramsIn; c != s.client || n != s.packets {
		s.client, s.packets, s.since = c, n, now
	}
}

// lasts is for how long there has been nothing, or 0 where that is usual.
func (s *silence) lasts(now time.Time) time.Duration {
	if d := now.Sub(s.since); d >= tooLong {
		return d
	}
	return 0
}

// drawSilence says that nothing comes from the server.
func (a *app) drawSilence(now time.Time) {
	d := a.silence.lasts(now)
	if d == 0 {
		return
	}
	c := &a.canvas
	u := c.unit
	b := append(c.buf[:0], "no word from the server for "...)
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	b = append(b, " s"...)
	w, y := c.glyphs.bold.width(b), c.h*0.28
	c.panel((c.w-w)/2-16*u, y-22*u, w+32*u, 34*u, 9*u, glass)
	c.text(c.glyphs.bold, c.w/2, y, 0.5, b, bad.toward(white, 0.3))
}
