// Package websocket is the client's wire over WebSocket: what a browser can open, and a native client where
// UDP does not pass. The server's end is in package eventloop. It builds for js/wasm.
//
// A message is a datagram: exactly what UDP would carry, so that sessions run on it unchanged. What UDP may do to
// datagrams, lose, repeat and reorder them, a connection does not; it delays them instead. So that old news does
// not hold up new news, a wire that cannot write drops its oldest datagrams.
//
// # Index of tasks
//
//   - Connect: [Dial], with an address to pretend: [DialConfig.Dial]. Without waiting, as in the middle of a game: [DialConfig.Begin].
//   - Go on with a session when a connection breaks: [DialConfig.Redial].
//   - Go over connections of another kind, or try one kind and then another: [DialConfig.Connect], [Link]; [Connect] is by
//     WebSocket.
//   - Learn why nothing comes any more: [Wire.Err].
//   - See what was lost on this side: [Wire.Stats].
//
// # What holds
//
//   - Poll and Send never block.
//   - Memory is bounded. A browser takes all that it is given, whether its socket has room or not: it is given no more
//     while it holds 8 KiB.
//   - A connection that has ended is silence, as it is on UDP: sessions time out, or the game looks at [Wire.Err].
//     On a new one they go on, if it is there before they time out, except for those that were not yet connected.
//   - Messages that no server of ours sends, text or longer than [netsys.MaxDatagram], end the connection.
package websocket
