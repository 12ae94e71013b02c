//go:build !js

package stage

import "math/rand/v2"

// player returns a random player id.
func player() uint64 { return rand.Uint64() | 1 }

// listen does nothing in a window, which has a keyboard.
func (s *Stage) listen() {}

// announce does nothing in a window.
func announce(kind, detail string) {}

// announceEnd does nothing in a window.
func announceEnd(error) {}
