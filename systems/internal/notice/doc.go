// Package notice sends the server's refusals and tickets to clients, on [channel.Control].
//
//   - Send a notice that the client can cause as often as it likes: [Queue.AddLimited]; any
//     other: [Queue.Add].
//   - Log an event once per client: [Once].
//
// Package wire defines the encoding of notices; the packages that add and process a notice define its meaning.
package notice
