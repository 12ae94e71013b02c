//go:build !js

package main

// listen is for pages: a window has keys.
func (a *app) listen() {}
