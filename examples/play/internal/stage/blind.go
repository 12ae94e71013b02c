package stage

import (
	"time"

	"github.com/tactusgo/tactus/systems"
)

// What tests use.

// Scene is the world's scene.
func (s *Stage) Scene() Scene { return s.scene }

// Blink does what a frame does, without drawing: it connects, runs the ticks that are due,
// and brings the view up to date. It returns the client, nil while there is no session.
func (s *Stage) Blink(now time.Time) *systems.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.online.advance(now)
	return s.advance(now)
}

// Leave says goodbye to the server.
func (s *Stage) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.online.close()
}

// Playing reports whether there is a session.
func (s *Stage) Playing() bool { return s.was }

// ShowOverlay shows the overlay, or hides it.
func (s *Stage) ShowOverlay(on bool) { s.panel.net.Show(on) }
