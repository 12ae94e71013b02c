//go:build !js

package paint

// clearTo is for pages: a window begins in black.
func clearTo(Tint) bool { return false }
