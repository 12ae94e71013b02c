// Package websocket is the client's transport over WebSocket, for browsers and for native clients whose UDP is blocked. The
// server's side is in package eventloop. The package builds for js/wasm.
//
// A message carries exactly one datagram, with the same bytes as over UDP, so sessions work unchanged. A connection neither
// loses nor repeats nor reorders datagrams; it delays them instead. To avoid sending outdated datagrams, a transport that
// cannot write drops its oldest ones.
//
// # Index of tasks
//
//   - Connect: [Dial]. Choose the server's address: [DialConfig.Dial]. Connect without waiting, for example in the middle
//     of a game: [DialConfig.Begin].
//   - Continue a session after a broken connection: [DialConfig.Redial].
//   - Use another kind of connection, or several in turn: [DialConfig.Connect], [Link]. [Connect] is the default, over
//     WebSocket.
//   - Find out why nothing arrives any more: [Wire.Err].
//   - Count datagrams lost on this side: [Wire.Stats].
//
// # Guarantees
//
//   - Poll and Send never block.
//   - Memory is bounded. A browser accepts data without limit, so the transport sends nothing while the browser buffers
//     more than 8 KiB.
//   - As with UDP, the end of a connection is silent: sessions time out, or the game checks [Wire.Err]. A new connection
//     within the timeout continues the connected sessions.
//   - A text message, or a message longer than [netsys.MaxDatagram], ends the connection.
package websocket
