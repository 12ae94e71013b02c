// Package web gives players seats by HTTP, in the rooms of a process (rooms.Here) or of a fleet (package lobby): a handler that a
// game mounts.
//
//   - Serve: [New], and mount the [Handler] under /rooms and /rooms/.
//   - Say who asks: [Config].Authenticate, from a request to a player. Without, only this machine is served.
//   - Say where players reach the rooms: rooms.Config.Endpoints of each process. Nothing is guessed from requests.
//   - Vet what players publish: [Config].Check. Say what a player is: [Config].Properties.
//   - Match by rules of one's own: [Config].Match, of package match.
//   - Serve it until the rooms have ended: [Beside]. Say whether somebody new gets a room: [Ready].
//   - Stand behind a proxy: [Config].TrustedProxies, [Config].Hosts.
//
// What it answers to, described by the OpenAPI document that it serves as well:
//
//	GET  /rooms                  the rooms that are not private: kind=, is[KEY]=, min[KEY]=, max[KEY]=, free=, limit=, after=
//	POST /rooms/join             a seat in an open room, or in a new one
//	POST /rooms/create           a new room, and a seat in it
//	POST /rooms/queue            a seat with others who wait, parties together
//	POST /rooms/{id}/join        a seat in that room, by its id or code
//	POST /rooms/{id}/reconnect   another token for the seat that the player has there
//	GET  /rooms/openapi.json     this, for programs
//
// Whoever gets a seat gets a connect token, the public endpoints, the room and its code: see [Admission]. All else is
// answered with a status, a code for programs and a sentence for people: see [Failure].
//
// # The guard
//
// Only JSON is taken, of at most 4 KiB, without fields that it does not know. Requests that pages of other sites make are
// refused, and names that any site could make lead here: the rules of package inspect. Each network and each player may
// ask so many times a minute; creating costs more. A handler counts what it is asked: where several processes answer, who
// asks them all may ask so often of each.
//
// # The queue
//
// A request waits for Config.Wait at most. Then it is answered with 202: ask again, the place is kept for five seconds. A
// connection that breaks takes its player out of the queue.
package web
