// Package operator is a page of a process with rooms: which there are, what their ticks take, who sits in them, and for
// each room all that package inspect shows of a server. Who has a token of its own locks, drains and ends rooms, kicks,
// bans and tells players something. All of that, and what rooms tell of themselves, stands in an audit log. Beside it are
// figures for Prometheus, by kind of room.
//
// Tasks:
//
//   - Keep a log, before there is a server: [NewAudit]; rooms.Config{Told: audit.Told}. Read it: [Audit.Entries].
//   - Make the page: [New]. Serve it on an address of its own: [Page.Serve]; below a path of a server that the game has
//     already: it is an http.Handler, behind http.StripPrefix, with a slash at the end of the path.
//   - Let others than this machine see it: Config.Token.
//   - Let somebody act: Config.Operators, of [ParseOperators]. Say what a broadcast is in the game: Config.Broadcast.
//
// What it answers to, with GET and HEAD:
//
//	/                            the page
//	/api/rooms                   rooms: kind=, state=, find=TEXT, sort=NAME, limit=N
//	/api/log                     the audit log, the newest first: after=NUMBER, room=ID, limit=N
//	/room/ID/                    the page of a room
//	/room/ID/api/room            the room and its seats
//	/room/ID/api/…               what package inspect answers to
//	/metrics                     for Prometheus
//	/debug/pprof/                profiles of the process
//
// And with POST, to JSON, for operators:
//
//	/room/ID/lock  /unlock  /drain   {}
//	/room/ID/end                     {"reason":"…"}
//	/room/ID/kick  /ban              {"player":"17"}
//	/room/ID/broadcast               {"text":"…"}
//	/drain                           {"process":"NAME"}
//	/check                           {}: whose token it is
//
// # Who may do what
//
// Who may see the page is what package inspect's guard says: this machine alone, or whoever shows Config.Token. Who acts
// shows a token of Config.Operators as "Authorization: Bearer TOKEN", and nothing else counts: no cookie, nothing in the
// address, and not Config.Token. So no page of another site can make a browser act. Without operators nobody acts.
// Bodies are bounded. Each operator may act a limited number of times a minute, and so often an address may ask without a
// valid token: such requests do not count against operators at the same address. Behind proxies name them in
// Config.TrustedProxies.
//
// # What it costs
//
// The list is made of what rooms publish; no room waits for it, and one that does not come to the end of its tick is
// shown as stuck. A room that is looked at has an inspector, which times its systems, until 30 seconds after the last
// look. It takes the place of one that the game has attached to the room's server.
package operator
