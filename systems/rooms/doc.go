// Package rooms runs many worlds in one process, behind one endpoint, and gives players seats in them.
//
//   - Serve: [New] with datagram transports, [Server.Run]. The kinds of rooms are in [Config] and [Kind].
//   - Give a player a seat: [Server.Join], which finds or creates a room; [Server.Create]; [Room.Reserve]. The player needs
//     the [Admission]: it has a connect token for systems.ClientConfig.Session.Token.
//   - Write code for one process or for a fleet: [Seats], [Here].
//   - Send data to the room that no client sees: [Player].Carried, [Room.Carried].
//   - Give a player its seat again: [Room.Reconnect]. Remove a player: [Room.Kick], [Room.Ban].
//   - Move a player to another room: [Room.Travel], [Room.Carried].
//   - Find rooms: [Server.Rooms], [Server.Room], [Server.ByCode], [Room.Info], [Room.Seats].
//   - Control a room: [Room.Publish], [Room.Lock], [Room.Begin], [Room.Drain], [Room.End]. Stop the process without ending
//     matches: [Server.Drain], [Server.Drained], or package serve with signals.
//   - Save rooms so that they outlive their process: [Config].Store, [NewFileStore], [Room.Durable], [Room.Loaded], [Server.Continue].
//   - Read or change a room's world between two ticks: [Room.Do], [Room.Tell].
//   - Identify the player of a client in the game: [SeatOf] in ServerConfig.Players.Login of a kind; [Kind].Joined and Left.
//   - Learn of problems: [Config].Told, [Notice]; counts by kind: [Server.Tallies]; why a session ended: [Explain].
//   - Connect several processes: module systems/rooms/fleet. Your own way to connect them: [Server.Connect], [Fleet].
//   - Run in virtual time: [Config].Now, [Server.Advance], on transports of a netsys.Network.
//
// # How it works
//
// A room is a systems.Server with its own port, goroutine and tick. Rooms with the same tick rate are spread evenly over the tick.
// Whichever room ticks next receives the datagrams of the process for all rooms.
//
// A seat is in the user data of a connect token, encrypted: see [Seat]. The server decrypts a request for a session once to find
// its room. All other datagrams from that address go to the room unopened, and the room's own session decrypts them, on the
// room's goroutine. A client without a seat reaches no room, and encryption uses all processors.
//
// # Guarantees
//
// No seat is given twice, and no room has more players than seats. A token opens its seat once, until it expires, and only the
// newest token of a seat opens it. A panic of a room's game ends that room and no other. Go cannot end a goroutine that loops
// forever: such a room is reported with its stack and gets no more players.
package rooms
