package stage

import (
	"time"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// tooLong is the time without a datagram after which the player is informed. Until the session times out, the world only
// stands still, which looks as if the game had frozen.
const tooLong = 1500 * time.Millisecond

// silent reports whether the server has been silent for too long.
func (s *Stage) silent() bool { return s.client.Stats().Session.Silence >= tooLong }

// drawSilence shows that the server is not responding.
func (s *Stage) drawSilence() {
	if !s.silent() {
		return
	}
	c := s.canvas
	u := c.Unit
	b := append(c.Bytes(), "The server is not responding. Waiting for it…"...)
	w, y := c.Bold.Width(b), c.H*0.28
	c.Panel((c.W-w)/2-16*u, y-22*u, w+32*u, 34*u, 9*u, paint.Glass)
	c.Text(c.Bold, c.W/2, y, 0.5, b, paint.Bad.Toward(paint.White, 0.3))
}
