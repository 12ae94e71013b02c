// Package clients is what the functions of a library for C do, in Go: clients by number, and frames as blocks of memory
// that keep their place. It has no cgo, so that tests and fuzzing of Go can call it as C would.
//
//   - Make the clients of a game: [New], [Game].
//   - Open one: [Clients.Open]; play: [Clients.SetInput], [Clients.Advance], [Clients.Frame], [Clients.Send].
//   - Learn why something failed: [Code], [Clients.Text], [Clients.End].
//
// # What holds
//
//   - Whatever is passed, in whatever order and by however many threads, ends in an error and never in a panic.
//   - What a [View] leads to is pinned until the next frame, or until the client is closed.
//   - A frame in which nothing comes, goes or is told allocates nothing.
package clients
