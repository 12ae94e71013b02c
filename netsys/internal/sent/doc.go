// Package sent numbers the packets that one end of a session sends, and learns which of them arrived. What each packet
// needs is in one cache line, [History]; what is counted ten times a second is elsewhere.
package sent
