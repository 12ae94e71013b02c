package notice

// Once records which events were logged for a client. An event that a client can cause as often as it likes is
// logged once per client and then counted. Since a session costs a token and a handshake, the log lines are
// limited, too.
type Once uint16

// Events that are logged once per client.
const (
	Flooded  Once = 1 << iota // messages that are not read
	Budget                    // a path with less bandwidth than the client's snapshots
	Input                     // a refused input
	Fast                      // inputs faster than ticks
	Desync                    // a world that differs from the server's
	Unstable                  // a system that is not deterministic
	Command                   // a refused or excess command
	View                      // a lag compensation claim that does not match what the client saw
	Distant                   // a round trip with which no input arrives in time
)

// First reports whether an event occurs for the first time.
func (o *Once) First(what Once) bool {
	is := *o&what == 0
	*o |= what
	return is
}
