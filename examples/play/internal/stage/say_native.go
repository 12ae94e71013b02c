//go:build !js

package stage

import "math/rand/v2"

// player is somebody new.
func player() uint64 { return rand.Uint64() | 1 }

// listen is for pages: a window has keys.
func (s *Stage) listen() {}

// announce is for pages: who is at a window sees it.
func announce(kind, detail string) {}

// announceEnd tells nobody: there is no page.
func announceEnd(error) {}
