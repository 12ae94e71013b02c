// Command scale measures how the cost of a server's tick grows with clients, with entities and with workers. It replays
// recorded packets of the arena's clients into the server in virtual time. So only the server takes processor time, and
// every run does the same work.
//
//	go run ./internal/bench/scale          a table
//	go run ./internal/bench/scale -json    one JSON object on the last line of stdout
//	go run ./internal/bench/scale -h       what the fields are
//
// The cost per tick is fitted to a·n^exponent, by least squares of its logarithm: once the whole cost, and once after
// subtracting the cost of the server without the growing part. There are no sockets, so the figures leave out the time that
// the operating system takes for sending: see command arena in this folder.
package main
