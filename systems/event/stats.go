package event

// Stats counts the events of one peer since NewServer or NewClient.
type Stats struct {
	Raised    uint64 // events, each once; Final ones when their tick is final
	Repeated  uint64 // events that a re-simulated tick raised again; not sent again
	Changed   uint64 // sent events that the last simulation raised with another value
	Unfounded uint64 // sent events that the last simulation did not raise

	Late       uint64 // events raised in a tick that was already final; not sent
	Overflowed uint64 // events raised beyond Limit; not sent
	Sent       uint64 // messages that channels accepted
	Unsent     uint64 // messages without channels, or that channels did not accept

	Received  uint64 // well-formed events from peers
	Handled   uint64 // calls of a handler
	Unhandled uint64 // events of types without a handler
	Limited   uint64 // server only: events beyond the rate; dropped
	Refused   uint64 // server only: events that Validate refused
	Early     uint64 // client only: events handled before their tick, because too many waited
	// Unconfirmed counts, on a client, events that were handled without the state that they waited for, see [Client.Deliver].
	Unconfirmed uint64
	Refusals    uint64 // refusals sent by a server, or received by a client
}
