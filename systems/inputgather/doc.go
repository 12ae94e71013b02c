// Package inputgather asks the game for inputs, keeps them, and tells the server.
//
//   - Ask for the input of a tick: [System.Run], the system InputGather; for that of a frame
//     between ticks: [System.At], [System.Now].
//   - Gather in a way of the game's: [Push] to [Inputs], and [At]; see systems.ClientSystems.
//   - Keep inputs by sequence, as the server will read them: [Log].
//   - Send them until they have arrived: [Sender]. What stands before them in a packet, and with
//     them in a message: [Parts].
//
// It reads what the game fills and what a session acknowledges, and writes the log and packets.
package inputgather
