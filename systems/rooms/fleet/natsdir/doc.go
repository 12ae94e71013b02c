// Package natsdir keeps the directory of a fleet in NATS JetStream.
//
//   - Start a server in this process, for one machine: [Embedded]. [Servers.Config] configures its clients.
//   - Open the directory: [Open], with [Config], for fleet.Config.Directory.
//   - Keep saves of rooms on the same servers: [Directory.Store].
//   - Use an external cluster: [Config].URL, over TLS and with credentials.
//   - Find out when to retry: [Refused].
//
// # How it works
//
// The directory is a stream with one message per key, in the layout of a key-value bucket, so the tools of NATS show it.
// The stream's leader compares each write with the newest revision. A [Directory] follows the stream and caches its
// records. The cache serves lists and watchers, and also loads while the leader does not answer.
//
// Each record contains its lease. Every process counts the lease by its own clock, from the time at which it received the
// record, and removes expired records by compare-and-set. A renewed record therefore stays, even if the renewal arrives
// late. No lease expires while writes fail. Afterwards all leases restart, so that a process that could not renew its
// record does not look dead.
package natsdir
