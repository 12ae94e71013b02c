// Command scale measures how what a server's tick costs grows: with clients, with entities, with workers. Recorded
// packets of the arena's clients are replayed into the server in virtual time, so that nothing else takes processor
// time, and every run does the same.
//
//	go run ./internal/bench/scale          a table
//	go run ./internal/bench/scale -json    one JSON object on the last line of stdout
//	go run ./internal/bench/scale -h       what the fields are
//
// What the cost per tick is fitted to is a·n^exponent, by least squares of its logarithm: once as it is, once less that
// of the server without what grows. There are no sockets: what the operating system takes for sending is not in it, see
// command arena of this folder.
package main
