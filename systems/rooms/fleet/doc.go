// Package fleet makes the rooms of several processes one fleet: players get seats in any of them, from any process.
//
//   - Connect the server of this process: [New] with [Config].Here. rooms.Server.Run then runs the fleet, too. A process
//     without rooms sets Config.Key and calls [Fleet.Run].
//   - Give seats in the rooms of all processes: [Fleet] is a rooms.Seats, for package web and for games.
//   - Match the players of all processes: [Fleet.Queue]; package web uses it.
//   - Keep the directory by which processes find each other: package natsdir in NATS, [NewMemory] in tests. Package fleettest
//     tests your own [Directory].
//   - Create the room of a dead process again: [Fleet.Claim]. The fleet does so when a player wants a seat there.
//   - Hand rooms over to other processes: rooms.Server.Drain, with rooms.Config.Store.
//   - Run in virtual time: [Fleet.Advance].
//
// # How it works
//
// Each process publishes itself and its rooms as records in the directory, and follows those of the others. A player
// who joins gets a seat in the fullest open room that fits, otherwise in a new room of the process with the fewest players that
// does not drain. If processes have a kind with different schemas and the client does not state its own, the newest schema
// comes first.
//
// Only the process of a room gives seats in it. Other processes send it a request and issue the tokens themselves, so no token is
// sent between processes. A request is delivered at most once. It names the claim of the process that it is for; a process that
// has claimed its name again since refuses it.
//
// # Ownership
//
// A process claims its name under a new epoch, by compare-and-set. Its records carry that epoch and are valid while its process
// entry does. A process that cannot renew its entry stops giving seats in its published rooms 1.5 seconds before others may
// consider it dead. A room whose process is dead is claimed by another process when a player wants a seat there: by
// compare-and-set on the room's record, so one process gets it. If the record was removed, the process creates it from the last save
// of the room, unless the process that is named there is alive. A process that drains stops the world of a room, saves it and
// asks another process to claim it. If that fails, it raises the epoch of the room, so that a late claim is refused, and continues.
// At no time do two processes believe that they own one room.
package fleet
