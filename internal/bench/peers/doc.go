// Command peers runs the same workload on Tactus and on servers in Node on this machine: on Colyseus, and on a server as teams write
// it by hand, which broadcasts the whole state through the npm package ws. It prints bytes, processor time and the number of
// players that each server carries. It needs Linux, and any version of Node with npm. The first run installs the servers and the
// Node that runs them in folder node, in the versions of node/package-lock.json.
//
//	go -C internal/bench/peers run .                      a table; some twenty minutes
//	go -C internal/bench/peers run . -most=false          without the search for the most players; two minutes
//	go -C internal/bench/peers run . -screens             the delay between two screens instead; three minutes
//	go -C internal/bench/peers run . -json                one JSON object on the last line of stdout
//	go -C internal/bench/peers run . -h                   the flags, and what the columns are
//
// The workload is the arena: walking clients, and server entities of which half rest. Every client sees everything: no server
// uses interest management. The simulation has 60 steps and 20 updates per second. Each server has its best settings. Colyseus sends
// changes of fields (x, y, heading, health) to all clients. The server on ws sends all entities in 8 bytes each: the id, x and y in
// 16 bits, heading and health in 8. The clients of both send changed inputs. Tactus sends each client the changes since the state
// that it acknowledged and encrypts them, and its clients send every input, as prediction requires. A server has one processor for
// itself; its clients use the others. The clients decrypt and count updates but do not decode them.
//
// With -screens, two players are alone in the arena, and the clients draw. In Node, both clients are in one process, and a relay
// adds the latency; -h defines the delay. Colyseus's clients use its SDK, which interpolates as its guide recommends, and also draw as
// its tutorial does. The clients of the server on ws draw the newest state, as teams begin: without interpolation, players
// move in jumps. In Tactus, server and clients are in one process, and the simulated link of the bots adds the latency.
package main
