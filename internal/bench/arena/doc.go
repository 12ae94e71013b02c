// Command arena measures what snapshots of the reference workload cost, those of examples/arena.
//
// In virtual time: a server and many clients over a network that delays and loses, every client decoding, and every
// state compared with the server's.
//
//	go run ./internal/bench/arena -clients 100 -npcs 200 -rtt 100ms -loss 0.05 -seconds 20 -json
//
// On real sockets, which needs Linux: the server in a process of its own, pinned to one processor, and the clients on
// the others, so that what the operating system counts for the server's process is the server's alone.
//
//	go run ./internal/bench/arena -clients 100 -npcs 200 -transport udp -seconds 20 -json
//
// The server's process tells the world of each send by a pipe, and what clients decode is compared with that. -h
// explains every figure.
package main
