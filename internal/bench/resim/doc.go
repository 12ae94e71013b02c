// Command resim measures what it costs to simulate ten ticks again, as a client
// does after a misprediction and a peer that rolls back all the time, beside ten
// plain steps over slices that keep a copy of each state.
//
//	go run ./internal/bench/resim          a table
//	go run ./internal/bench/resim -json    one JSON object on the last line of stdout
//	go run ./internal/bench/resim -h       what the figures are
package main
