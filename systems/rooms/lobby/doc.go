// Package lobby gives seats in the rooms of a whole fleet, from any of its processes, or from one without rooms.
//
//   - Make one: [New], with the directory and the key that the processes share; run it: [Lobby.Run]. It is a rooms.Seats:
//     for package web, package match, and games.
//   - Run it beside rooms: [Config].Here. Without, it is a process that answers joins alone.
//   - Run it in virtual time: [Lobby.Advance].
//
// # How it works
//
// The lobby follows the directory and keeps what it says in memory. Who joins gets a seat in the fullest open room that
// has place, else in a new room of the process with the fewest players, of those that are not draining; where processes
// make a kind with different schemas, and the client does not say its own, the newest come first.
//
// A seat is given by the process that has the room, and by nobody else. The lobby asks for it by a record in the directory,
// which that process answers in the same record; whoever has asked takes it away. What is asked of one process within a
// few milliseconds goes into one record. The token is issued here, and is in no record.
//
// # What holds
//
// An ask is done once at most, however often it is read, and only by the process as it was when it was asked: one that
// lost its name meanwhile refuses. Where no answer comes in time the error is a rooms.Unavailable, which says when to try
// again; a seat that was given all the same is free when its promise is over. A room whose process is gone is made anew by
// another one, as soon as somebody wants a seat there. While the directory takes no writes the rooms of this process go on
// to be given, and all else is rooms.Unavailable.
package lobby
