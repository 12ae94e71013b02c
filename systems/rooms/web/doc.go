// Package web gives players seats by HTTP, in the rooms of one process (rooms.Here) or of a fleet (package fleet). The game mounts its
// handler.
//
//   - Serve: [New], and mount the [Handler] under /rooms and /rooms/.
//   - Identify the player of a request: [Config].Authenticate. Without it, only this machine is served.
//   - Set the public addresses of the rooms: rooms.Config.Endpoints of each process. They are not guessed from requests.
//   - Check options that players publish: [Config].Check. Set the properties of a player: [Config].Properties.
//   - Match by your own rules: [Config].Match, see package match.
//   - Serve until the rooms have ended: [Beside]. Answer readiness probes: [Ready].
//   - Run behind a proxy: [Config].TrustedProxies, [Config].Hosts.
//
// Requests, described by the OpenAPI document:
//
//	GET  /rooms                  the rooms that are not private: kind=, is[KEY]=, min[KEY]=, max[KEY]=, free=, limit=, after=
//	POST /rooms/join             a seat in an open room, or in a new one
//	POST /rooms/create           a new room, and a seat in it
//	POST /rooms/queue            a seat with other waiting players, parties together
//	POST /rooms/{id}/join        a seat in that room, by its id or code
//	POST /rooms/{id}/reconnect   another token for the player's seat in that room
//	POST /rooms/{id}/spectate    a token to watch that room
//	GET  /rooms/openapi.json     the OpenAPI document
//
// A player who gets a seat gets a connect token, the public endpoints, the room and its code: see [Admission]. Every other answer has
// a status, a code for programs and a sentence for people: see [Failure].
//
// # Limits
//
// The handler accepts only JSON of at most 4 KiB without unknown fields. It refuses requests from pages of other sites, and host names
// that any site could point here. Each network and each player may send a limited number of requests per minute; creating a room
// costs more. Each handler enforces its own limits. A caller that can reach several processes gets the full limit on each.
//
// # The queue
//
// A request waits for at most Config.Wait. Then it is answered with 202: send it again, the place is kept for five seconds. If its
// connection breaks, the player leaves the queue.
package web
