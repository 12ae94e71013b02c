// Package capi turns a game's client into a C library. It exports the functions that tactus.h documents. A main package
// contains only its game:
//
//	var _ = capi.Provide(capi.Game{Protocol: game.Protocol, Config: config})
//
//	func main() {}
//
// Build it with -buildmode=c-shared or c-archive. It needs cgo and a C compiler; without them the package is empty.
//
//   - Set the game: [Provide], [Game].
package capi
