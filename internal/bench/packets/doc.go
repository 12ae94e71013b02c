// Command packets measures what a packet costs the server's processor on each way of reading a socket, beside
// an event-driven [net.UDPConn]. Servers run in processes of their own, so that what the operating system
// counts for them is theirs alone; the clients are in the process that reports. It needs Linux.
//
//	go run ./internal/bench/packets -clients 256 -seconds 10          a table
//	go run ./internal/bench/packets -clients 256 -seconds 10 -json    one JSON object on the last line of stdout
//	go run ./internal/bench/packets -h                                what the fields are
//
// Every client sends 100 bytes and is sent 400 bytes, 60 times a second. Clients have phases of their own,
// spread evenly over the sixtieth of a second, as players have: packets come one by one, not in a bunch, which
// would spare event-driven servers many wake-ups. The servers take turns of at most a tenth of a second, so that
// whatever else the machine does slows all of them alike. A figure is the median over a server's turns, a ratio the
// median of the ratios within each round. A server does not run between its turns, and a turn counts only after it
// has run for a while.
//
// Servers run on one processor and the clients on the others, as packets that come from a network: what an
// event-driven server costs differs by a factor of two with where the scheduler puts both, and with what else runs.
package main
