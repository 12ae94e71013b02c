package stage

import (
	"strconv"
	"time"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
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
func (s *Stage) drawSilence(now time.Time) {
	d := s.silence.lasts(now)
	if d == 0 {
		return
	}
	c := s.canvas
	u := c.Unit
	b := append(c.Bytes(), "no word from the server for "...)
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	b = append(b, " s"...)
	w, y := c.Bold.Width(b), c.H*0.28
	c.Panel((c.W-w)/2-16*u, y-22*u, w+32*u, 34*u, 9*u, paint.Glass)
	c.Text(c.Bold, c.W/2, y, 0.5, b, paint.Bad.Toward(paint.White, 0.3))
}
