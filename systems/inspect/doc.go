// Package inspect is a page of a running server: what its ticks take, who is on it over
// which links, what its snapshots are made of, which entities there are, and what each
// client knows of each of them. Beside it are figures for Prometheus and profiles.
//
// Under each netcode model it tells what that model does, and says of the rest in a
// sentence that it does not apply.
//
// Tasks:
//
//   - Attach an inspector, before the server runs: [New]; detach it: [Inspector.Close].
//   - Serve it on an address of its own: [Inspector.Serve]; below a path of a server that
//     the game has already: it is an http.Handler, behind http.StripPrefix.
//   - Let others than this machine in: Config.Token. See the guard below.
//   - Show what clients were corrected for: [Inspector.Report].
//
// What it answers to, with GET and HEAD:
//
//	/                   the page
//	/api/status         ticks, stages and systems, the netcode model, counters
//	/api/clients        clients, their links and budgets
//	/api/traffic        what snapshots are made of; archetypes=1 measures by archetype
//	/api/entities       entities: after=ID, limit=N, owner=CLIENT, component=NAME
//	/api/entity         one with its values: id=ID
//	/api/knows          what a client knows of an entity: client=N, entity=ID
//	/api/explain        why it was, or was not, told of it at a tick: client=N, entity=ID, tick=T (the newest)
//	/api/blame          what clients were corrected for
//	/metrics            for Prometheus
//	/debug/pprof/       profiles: heap, goroutine, profile?seconds=N, trace?seconds=N, …
//
// # The guard
//
// Without a token the inspector answers this machine alone: connections from a loopback
// address that no proxy has forwarded, under a name of this machine. With one it answers
// whoever shows the token, from this machine too: as "Authorization: Bearer TOKEN", or
// once as ?token=TOKEN, which becomes a cookie. A token travels as HTTP does: put TLS in
// front where others could listen. Requests that a page of another site makes are refused
// either way; it may link to the page. All others get 403 and a line of advice. No page
// loads anything from elsewhere, and browsers are told so.
//
// # What it costs
//
// A server without an inspector, or whose inspector was closed, has nil to compare with
// twice a wake-up. With one each system is timed; nothing is allocated. Requests never
// touch the world: they wait for the end of a wake-up, which answers one of them at most,
// and copies no more than a bounded part of the world for it; archetypes=1 alone looks at
// all of it. Whoever asks why an entity was told makes the server remember, for 15 seconds, what it decides about that
// one. What is made of the copy is made elsewhere. A server that does not tick gives 503.
package inspect
