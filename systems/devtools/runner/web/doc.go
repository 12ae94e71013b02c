// Package web builds a game's client for browsers, and serves the page that it plays on.
//
//   - A page beside the bots of a world's command, one line in its main: [Beside]. It adds the flags -http, -web
//     and -names.
//   - The page itself: Config.Title and Config.Keys, or one of the game's own, Config.Page.
//   - A page beside a server of one's own: [New] makes an [net/http.Handler], [Site.Prepare] gets the client ready.
//     Meanwhile the page shows how far that is. [Listen] listens at an address, or at a free port instead. [Serve] serves
//     any handler with timeouts and a limit of connections.
//   - A second page for the same match, which a bundler has built around another renderer: Config.Dist. [Dist] alone is a
//     handler for it, with connect.json, which tells it where the game is.
//   - A page with rooms to join, in place of one match: Config.Lobby.
//   - A client that was built elsewhere: Config.Dir.
//
// The client is a main package that builds with GOOS=js GOARCH=wasm. It gets the server's address by its arguments:
// Config.Args, -connect and the address, which is ws://HOST:PORT, and from the page that comes with this package
// -name and the name that the player has typed.
//
// With a [Lobby] it gets these for a seat in a room, and -token. Who plays is kept for the tab, and so is its seat, which it
// asks for again when the session ends, or after a reload. A link to the page with a room's code as its fragment leads into that room.
//
// On a touch screen the page offers a button and a line to talk once the client has dispatched the event "talks" to
// the document; what is written it dispatches there as "say", with the text as detail. Config.Others names other
// games.
//
// The page loads only from the site itself, and its policy lets nothing else in: no other origin, and of
// the scripts and styles that stand in a page of the game's own none but those that it was given with. The site
// answers who asks for localhost, for an address, or for a name in Config.Hosts, so that no web site can pose as it.
// What was built is kept in the user's cache folder, under a name that follows from the sources and the compiler: a
// second start compiles nothing.
package web
