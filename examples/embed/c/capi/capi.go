//go:build cgo

package capi

import "github.com/tactusgo/tactus/examples/embed/c/capi/clients"

// Game is the game of the library.
type Game = clients.Game

// Provided is the result of [Provide], so that a package-level variable can call it.
type Provided struct{}

// library holds the clients behind the exported functions, which C calls without a receiver. The main function of a library
// does not run, so a variable must hold it.
var library *clients.Clients

// Provide sets the game of the library. Call it once, during the initialization of variables; calls from C wait until then.
// A second call panics.
func Provide(g Game) Provided {
	if library != nil {
		panic("capi: Provide is called twice: a library has one game; build one for each")
	}
	library = clients.New(g)
	return Provided{}
}

// lib returns the library, in every call of C.
func lib() *clients.Clients {
	if library == nil {
		panic("capi: no game: write var _ = capi.Provide(capi.Game{…}) into the main package")
	}
	return library
}
