// Package web serves the page of a game's client that is compiled to WebAssembly,
// and compiles it first where that has not been done.
//
//   - Serve: [New] makes an [net/http.Handler], [Site.Prepare] gets the client ready.
//     Meanwhile the page shows how far that is.
//   - Listen at an address, or at a free port instead: [Listen].
//   - A client that was built elsewhere: Config.Dir.
//
// All that the page loads comes from the site itself, and its policy lets nothing
// else in. What was built is kept in the user's cache folder, under a name that
// follows from the sources and the compiler: a second start compiles nothing.
package web
