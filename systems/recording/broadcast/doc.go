// Package broadcast serves a recording over HTTP while it is made, to many viewers who watch later than the match is played. The
// match's server pays for one recorder and one HTTP client: relays and caches serve the viewers.
//
//   - Serve a recording that is being made: [NewStream], and recording.NewWriter to it. Delay it: [Config].
//   - Serve it again from another process: [Relay].
//   - Watch it: [Watch], and systems.NewReplay with the Reader.
package broadcast
