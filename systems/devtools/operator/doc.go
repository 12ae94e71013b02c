// Package operator is a web page for a process with rooms. It lists the rooms, the time of their ticks and their players,
// and shows everything that package inspect shows for the server of each room. Operators, who have their own tokens, can
// lock, drain and end rooms, kick and ban players, and send messages to players. An audit log records the actions and the
// reports of rooms. Metrics for Prometheus are grouped by kind of room.
//
// Tasks:
//
//   - Create a log before the server: [NewAudit]; rooms.Config{Told: audit.Told}. Read it: [Audit.Entries].
//   - Create the page: [New], or [Open] with operators from the environment. Serve it on its own address: [Page.Serve]. Serve it below a path of an existing server: use
//     it as an http.Handler behind http.StripPrefix, with a slash at the end of the path.
//   - Allow access from other machines: Config.Token.
//   - Allow actions: Config.Operators, from [ParseOperators]. Define broadcasts of the game: Config.Broadcast.
//
// Paths for GET and HEAD:
//
//	/                            the page
//	/api/rooms                   rooms: kind=, state=, find=TEXT, sort=NAME, limit=N
//	/api/log                     the audit log, newest first: after=NUMBER, room=ID, limit=N
//	/room/ID/                    the page of a room
//	/room/ID/api/room            the room and its seats
//	/room/ID/api/…               the paths of package inspect
//	/metrics                     for Prometheus
//	/debug/pprof/                profiles of the process
//
// Paths for POST with a JSON body, for operators:
//
//	/room/ID/lock  /unlock  /drain   {}
//	/room/ID/flight                  {}: writes what happened in the last ticks to a file, see rooms.Config.Flights
//	/room/ID/end                     {"reason":"…"}
//	/room/ID/kick  /ban              {"player":"17"}
//	/room/ID/broadcast               {"text":"…"}
//	/drain                           {"process":"NAME"}
//	/check                           {}: returns the owner of the token
//
// # Permissions
//
// The guard of package inspect decides who may see the page: this machine only, or everyone with Config.Token. An action
// requires a token of Config.Operators, sent as "Authorization: Bearer TOKEN". Cookies, parameters in the address and
// Config.Token do not count, so a page of another site cannot make a browser act. Without operators, actions are refused.
// Bodies are bounded. Each operator has a limit of actions per minute, and each address has the same limit of requests
// without a valid token. Such requests do not count against operators at the same address. List proxies in
// Config.TrustedProxies.
//
// # Cost
//
// The list uses published data, so no room waits for it. A room that does not finish its tick is shown as stuck. While
// somebody views a room, an inspector times its systems, until 30 seconds after the last request. It replaces an inspector
// that the game attached to the room's server.
package operator
