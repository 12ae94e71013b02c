//go:build cgo

package capi

import "github.com/tactusgo/tactus/examples/embed/c/capi/clients"

// Game is what is played.
type Game = clients.Game

// Provided is what [Provide] returns: a variable needs a value.
type Provided struct{}

// library is what the exported functions work on: C passes them numbers, and nothing else to go by. In a library no main
// function runs that could make it.
var library *clients.Clients

// Provide makes the library that of a game. A program calls it once, while its variables are initialized; what C calls
// waits for that. It panics the second time.
func Provide(g Game) Provided {
	if library != nil {
		panic("capi: Provide is called twice: a library has one game; build one for each")
	}
	library = clients.New(g)
	return Provided{}
}

// lib is the library, in every call of C.
func lib() *clients.Clients {
	if library == nil {
		panic("capi: no game: write var _ = capi.Provide(capi.Game{…}) into the main package")
	}
	return library
}
