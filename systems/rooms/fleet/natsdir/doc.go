// Package fleet keeps the directory of several processes in NATS JetStream. It is a module of its own: who has one process
// carries no NATS.
//
//   - Start a server inside this process, for one machine: [Embedded]; what others need to get to it is in
//     [Servers.Config].
//   - Open the directory: [Open], with [Config], for rooms.Config.Directory.
//   - Use a cluster that runs elsewhere: [Config].URL, over TLS and with credentials.
//   - Learn when to try again: [Refused].
//
// # How it works
//
// The directory is a stream with one message for each key, laid out as a key-value bucket of NATS: its tools show it.
// Writes are compared with the newest revision by the stream's leader. A [Directory] follows the stream and keeps what it
// has in memory: lists and whoever watches are served from there, and so are loads while nobody answers.
//
// A record's lease stands beside it. Every process counts it by its own clock, from when it heard of the record, and
// removes what has run out, by compare-and-set like everybody: a record that was renewed stays, however late that is
// heard. No lease runs out while nothing can be written, and afterwards each begins again: processes that could not say
// that they are there are not taken for dead.
package natsdir
