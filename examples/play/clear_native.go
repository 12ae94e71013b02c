//go:build !js

package main

// clearTo is for pages: a window begins in black.
func clearTo(tint) bool { return false }
