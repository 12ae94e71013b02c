// Package inputgather asks the game for inputs, stores them, and sends them to the server.
//
//   - Get the input of a tick: [System.Run], the system InputGather. Get the input of a frame
//     between ticks: [System.At], [System.Now].
//   - Gather in a game's own system: [Push] to [Inputs], and [At]; see systems.ClientSystems.
//   - Store inputs by sequence number, as the server will read them: [Log].
//   - Send inputs until they are acknowledged: [Sender]. Other parts of the packet and the
//     message: [Parts].
//
// The package reads the input that the game fills in and the session's acknowledgements. It writes the log and packets.
package inputgather
