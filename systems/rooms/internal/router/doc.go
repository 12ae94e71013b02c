// Package router lets many rooms share the wires of a process, and knows nothing of rooms but their ports.
//
//   - Make one: [New]. Give a room a wire of its own: [Router.Port].
//   - Take in what has come: [Router.Poll]; any goroutine may, and every [Port] does when it is polled.
//   - Say where the client of a seat is, and that it is gone: [Port.Settle], [Port.Vacate].
//
// A datagram from an address that is known goes to the room of that address, unread. A request for a session is
// decrypted, once, to learn the room, and both the room's own sessions and these bytes decide what becomes of it. All
// else of sessions, encryption above all, is done by the room on its own goroutine.
//
// A seat has two addresses at most: that of its client, and that of who asks for it with a good token. So nobody can
// fill the table without tokens. What comes from elsewhere is handed to rooms which have not heard from a client of
// theirs for a while, whose address may have changed; how much of that there is, is bounded.
package router
