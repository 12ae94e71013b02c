// Command packets measures the server's processor time per packet for several ways of reading a socket, in comparison with
// an event-driven [net.UDPConn]. Each server runs in its own process, so that the operating system counts its time
// separately; the clients are in the reporting process. It needs Linux.
//
//	go run ./internal/bench/packets -clients 256 -seconds 10          a table
//	go run ./internal/bench/packets -clients 256 -seconds 10 -json    one JSON object on the last line of stdout
//	go run ./internal/bench/packets -h                                the meaning of the fields
//
// Every client sends 100 bytes and receives 400 bytes, 60 times per second. Clients have different phases, spread evenly
// over the interval, so that packets arrive singly as in a real game; bunched packets would spare event-driven servers many
// wake-ups. The servers take turns of at most 0.1 s, so that other load on the machine slows all of them equally. A figure
// is the median over a server's turns. A ratio is the median of the ratios within each round. A server is suspended between
// its turns, and each turn starts with an unmeasured part.
//
// Servers run on one processor and the clients on the others, like packets from a network. Otherwise the cost of an
// event-driven server varies by a factor of two with the scheduler's placement.
package main
