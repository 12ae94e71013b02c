//go:build !js

package stage

// listen is for pages: a window has keys.
func (s *Stage) listen() {}
