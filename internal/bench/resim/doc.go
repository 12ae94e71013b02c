// Command resim compares the cost of simulating ten ticks again with ten plain
// steps over slices that copy each state. Clients simulate ticks again after a
// misprediction; peers under rollback do so in most ticks.
//
//	go run ./internal/bench/resim          a table
//	go run ./internal/bench/resim -json    one JSON object on the last line of stdout
//	go run ./internal/bench/resim -h       the meaning of the figures
package main
