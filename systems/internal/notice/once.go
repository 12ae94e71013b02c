package notice

// Once is what was logged of a client. What a client can bring about as often as it likes is
// logged once of each client, and counted: a session costs its owner a token and a
// handshake, so that lines do, too.
type Once uint16

// What is logged of a client.
const (
	Flooded  Once = 1 << iota // messages that are not read
	Budget                    // a path that takes less than its snapshots
	Input                     // a refused input
	Change                    // a refused change
	Fast                      // inputs that come faster than ticks
	Desync                    // a world that differs
	Unstable                  // a world that differs from itself
	Command                   // a command that was refused, or was too many
	View                      // a view of lag compensation that does not show what was claimed
)

// First reports whether something is logged for the first time.
func (o *Once) First(what Once) bool {
	is := *o&what == 0
	*o |= what
	return is
}
