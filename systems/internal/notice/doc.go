// Package notice brings to a client what the server refused or granted: numbered, in
// order, each sent again until it is acknowledged, and read once.
//
//   - Tell a client of what it can bring about as often as it likes: [Queue.Tell], of
//     anything else: [Queue.Add].
//   - Send, and hear what arrived: [Sender.Send], [Queue.Acked].
//   - Read on the client: [Reader.Take].
//   - Log what a client did, once: [Once].
//
// It writes packets of their own and reads nothing but sessions. What a notice means is the
// business of who adds it and of who heeds it; its bytes are in package wire.
package notice
