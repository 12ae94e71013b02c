// Package inspect serves a page about a running server: the time of its ticks, its clients and their links, the
// contents of its snapshots, its entities, and the state that each client has acknowledged. It also serves Prometheus
// metrics and profiles. The page shows the figures of the netcode model in use, and says which figures do not apply.
//
// # Index of tasks
//
//   - Attach an inspector before the server runs: [New]. Detach it: [Inspector.Close].
//   - Serve it on its own address: [Inspector.Serve]. Serve it below a path of your HTTP server: an [Inspector] is an
//     http.Handler; use http.StripPrefix.
//   - Allow access from other machines: Config.Token. See "Access".
//   - Show the causes of corrections on clients: [Inspector.Report].
//
// # Endpoints
//
// All endpoints accept GET and HEAD:
//
//	/                   the page
//	/api/status         ticks, stages and systems, the netcode model, counters
//	/api/clients        clients, their links and budgets
//	/api/traffic        bytes of snapshots; archetypes=1 also measures by archetype
//	/api/entities       entities: after=ID, limit=N, owner=CLIENT, component=NAME
//	/api/entity         one entity with its values: id=ID
//	/api/knows          the state of an entity on a client, and why it has no newer one: client=N, entity=ID
//	/api/blame          causes of corrections on clients
//	/metrics            Prometheus metrics
//	/debug/pprof/       profiles: heap, goroutine, profile?seconds=N, trace?seconds=N, …
//
// # Access
//
// Without a token the inspector answers only this machine: connections from a loopback address, not forwarded by a
// proxy, with a Host header that names this machine. With a token it answers any client that sends the token, and
// requires it from this machine too: as "Authorization: Bearer TOKEN", or once as ?token=TOKEN, which sets a cookie.
// HTTP does not encrypt the token, so use a TLS proxy on networks that others can read. Requests from pages of other
// sites are always refused, except links to the page. Refused requests get status 403 and a line of advice. Pages
// load nothing from other origins, and a Content-Security-Policy enforces this.
//
// # Cost
//
// A server without an inspector compares a nil pointer twice per wake-up. With an inspector every system is timed,
// without allocations. Requests never read the world directly. They wait for the end of a wake-up, which answers at
// most one request and copies a bounded part of the world; only archetypes=1 reads all of it. The response is built
// from the copy on another goroutine. If the server does not tick, requests get status 503.
package inspect
