package event

// Stats counts what became of the events of one peer, since it was made.
type Stats struct {
	Raised    uint64 // events, each once; Final ones when their tick is
	Repeated  uint64 // raised again by a tick that was simulated again, and not sent again
	Changed   uint64 // sent with a value, though the last simulation of their tick raised another
	Unfounded uint64 // sent, though the last simulation of their tick did not raise them

	Late       uint64 // raised in a tick that was final already, and not sent
	Overflowed uint64 // raised beyond Limit, and not sent
	Sent       uint64 // messages that channels took
	Unsent     uint64 // messages that channels did not take, or that had none

	Received  uint64 // well-formed events of other peers
	Handled   uint64 // calls of a handler
	Unhandled uint64 // events of types without one
	Limited   uint64 // at a server: beyond the rate, and dropped
	Refused   uint64 // at a server: by Validate
	Early     uint64 // at a client: handled before their time, because too many waited
	Refusals  uint64 // told to clients, at a server; heard of, at a client
}
