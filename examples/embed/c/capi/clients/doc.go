// Package clients implements the functions of the C library in Go: clients by number, and frames as pinned blocks of
// memory. It has no cgo, so Go tests and fuzzing can call it as C would.
//
//   - Create the clients of a game: [New], [Game].
//   - Open a client: [Clients.Open]. Play: [Clients.SetInput], [Clients.Advance], [Clients.Frame], [Clients.Send].
//   - Read errors: [Code], [Clients.Text], [Clients.End].
package clients
