// Package web builds a game's client for browsers and serves its page.
//
//   - Add a page to the bots of a world's command, with one line in main: [Beside]. It adds the flags -http, -web,
//     -names and -embed, and for rooms -saves and -domain.
//   - Describe the page: Config.Title and Config.Keys. Use a custom page: Config.Page.
//   - Serve a page from your own server: [New] returns an [net/http.Handler], and [Site.Prepare] builds the client while
//     the page shows the progress. [Listen] listens at an address or at a free port. [Serve] serves any handler with
//     timeouts and a limit of connections.
//   - Serve a page that a bundler built with another renderer: [Dist], alone or as Config.Dist. It tells the page the
//     game's address in connect.json.
//   - Serve rooms to a page with a lobby: runner.Game.Rooms with [Beside], or Config.Lobby from your own server.
//   - Build a client for a page of your own: [Build].
//   - Serve HTTPS under a host name with certificates of an ACME authority: [Domain]. Forward the game's WebSockets at a path of
//     the page: [SocketProxy]. [Public] does both for rooms, by the flag -domain; [Beside] includes it.
//   - Use a client that was built elsewhere: Config.Dir.
//
// The client is a main package that builds with GOOS=js GOARCH=wasm. Its arguments are Config.Args, then -connect
// ws://HOST:PORT, and the fields of a custom page's form.
//
// The page loads resources from the site only. Its policy forbids other origins, and allows inline scripts and styles only
// if Config.Page contained them. The site answers requests for localhost, IP addresses and the names in Config.Hosts only,
// so other web sites cannot impersonate it. Built clients are stored in the user's cache folder under a hash of sources and
// compiler: a second start compiles nothing.
package web
