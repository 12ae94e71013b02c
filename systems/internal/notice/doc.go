// Package notice sends the server's refusals and tickets to clients: numbered, in
// order, repeated until they are acknowledged, and processed once.
//
//   - Queue a notice that the client can cause as often as it likes: [Queue.AddLimited]; any
//     other: [Queue.Add].
//   - Send, and process acknowledgements: [Sender.Send], [Queue.Acked].
//   - Read on the client: [Reader.Read].
//   - Log an event once per client: [Once].
//
// Notices have their own packets. Package wire defines their encoding; the packages that add
// and process a notice define its meaning.
package notice
