// Package capi makes a library for C of a game's client: it exports the functions of tactus.h, which has the documentation
// of them. A main package needs no more than its game:
//
//	var _ = capi.Provide(capi.Game{Protocol: game.Protocol, Config: config})
//
//	func main() {}
//
// built with -buildmode=c-shared, or c-archive. It needs cgo, and so a C compiler; without one the package is empty.
//
//   - Say which game: [Provide], [Game].
//   - Do the same from Go, for tests: package clients.
package capi
