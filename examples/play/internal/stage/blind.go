package stage

import (
	"time"

	"github.com/tactusgo/tactus/systems"
)

// Functions for tests.

// Scene returns the scene of the world.
func (s *Stage) Scene() Scene { return s.scene }

// Blink runs a frame without drawing: it connects, runs the due ticks, and updates the view. It returns the client, or nil
// while there is no session.
func (s *Stage) Blink(now time.Time) *systems.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.online.advance(now)
	return s.advance(now)
}

// Leave leaves the server.
func (s *Stage) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.online.close()
}

// Playing reports whether there is a session.
func (s *Stage) Playing() bool { return s.was }

// ShowOverlay shows or hides the overlay.
func (s *Stage) ShowOverlay(on bool) { s.panel.net.Show(on) }
