// Command arena measures the cost of snapshots in the reference workload, examples/arena.
//
// In virtual time, a server and many clients play over a network with delay and loss. Every client decodes, and every
// decoded state is compared with the server's.
//
//	go run ./internal/bench/arena -clients 100 -npcs 200 -rtt 100ms -loss 0.05 -seconds 20 -json
//
// On real sockets (Linux only), the server runs in its own process on one processor and the clients on the others, so that
// the operating system counts the server's time separately.
//
//	go run ./internal/bench/arena -clients 100 -npcs 200 -transport udp -seconds 20 -json
//
// The server's process sends the state of each send tick through a pipe, for comparison with the decoded states. -h
// explains every figure.
package main
