// Command arena measures what snapshots of the reference workload cost: a server
// and many clients of examples/arena in virtual time, over a network that delays
// and loses, every client decoding, and every state compared with the server's.
//
//	go run ./internal/bench/arena -clients 100 -npcs 200 -rtt 100ms -loss 0.05 -seconds 20 -json
package main
