// Package rooms runs many worlds in one process, behind one endpoint, and knows who may sit where.
//
//   - Serve: [New] with wires, [Server.Run]. Say which kinds of rooms there are: [Config], [Kind].
//   - Give a player a seat: [Server.Join], which finds or makes a room; [Server.Create], and [Room.Reserve]. What the
//     player needs is in the [Admission]: a connect token, for systems.ClientConfig.Token.
//   - Give seats in code that is for one process or for a fleet: [Seats], [Here].
//   - Send something along to the room that no client sees: [Player].Carried, [Room.Carried].
//   - Give it the seat again that it had: [Room.Reconnect]. Send it away: [Room.Kick], [Room.Ban].
//   - Hand a player over to another room, with what it carries: [Room.Travel], [Kind].Carries, [Carries]. To rooms of other
//     processes: [Server.Elsewhere].
//   - Find rooms: [Server.Rooms], [Server.Room], [Server.ByCode], [Room.Info], [Room.Seats].
//   - Steer a room: [Room.Publish], [Room.Lock], [Room.Begin], [Room.Drain], [Room.End]. Stop the process without cutting
//     a match short: [Server.Drain], [Server.Drained], or all of it by package serve, with signals.
//   - Look at a room's world, or change it, between two ticks: [Room.Do], [Room.Tell].
//   - Learn in the game whose client it is: [SeatOf], in ServerConfig.Login of a kind; [Kind].Joined and Left.
//   - Hear what goes wrong: [Config].Told, [Notice]; count by kind: [Server.Tallies]. Why a client was sent away: [Explain].
//   - Put another directory in the place of memory: [Directory]. Module systems/rooms/fleet has one for several
//     processes; package roomstest has tests for yours.
//   - Make the room of a process anew that has died: [Server.Claim], [Room.Epoch]. Learn whether other processes find
//     this one: [Server.Membership]; whether it may be taken for dead: [Server.Fenced], [Info].Orphaned.
//   - Run in virtual time: [Config].Now, [Server.Advance], on wires of a netsys.Network.
//
// # How it works
//
// A room is a systems.Server on a wire of its own, with a goroutine and a tick of its own. The ticks of rooms with the
// same rate are spread over the time between two of them. Nothing else runs all the time: whichever room comes to its
// tick takes in what the process's wires have got, for all rooms.
//
// The seat travels in the user data of a connect token, encrypted: see [Seat]. A request for a session is decrypted once
// to learn the room, and then everything from that address goes to the room as it is; its own sessions decrypt it, on
// its own goroutine. So no room sees anybody who has no seat in it, and encryption takes place on all processors.
//
// # What holds
//
// No seat is given twice, and no room has more players than seats. A token opens its seat once, until it expires, and the
// newest token of a seat alone does. A panic of a room's game ends that room, and no other one. What a goroutine does
// that never comes back, Go cannot end: such a room is named, with its stack, and gets no more players.
//
// Of the processes on one directory no two believe at any time that they have one room. A process that cannot say that it
// is there gives nobody new a seat in rooms that others know of, before they may think it gone.
package rooms
