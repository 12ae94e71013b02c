//go:build !js

package stage

// listen is for pages: a window has keys.
func (s *Stage) listen() {}

// announce is for pages: who is at a window sees it.
func announce(kind, detail string) {}
