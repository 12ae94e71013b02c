// Command peers runs the same workload on Tactus and on Colyseus on this machine, and prints bytes, processor time and the
// number of players that each server carries. It needs Linux, Node and npm. The first run installs Colyseus in this folder,
// in the versions of colyseus/package-lock.json.
//
//	go -C internal/bench/peers run .                      a table; some twenty minutes
//	go -C internal/bench/peers run . -most=false          without the search for the most players; two minutes
//	go -C internal/bench/peers run . -json                one JSON object on the last line of stdout
//	go -C internal/bench/peers run . -h                   the flags, and what the columns are
//
// The workload is the arena: walking clients, and server entities of which half rest. Every client sees everything. The
// simulation has 60 steps and 20 updates per second. Each side has its best settings: Colyseus sends changes of quantized
// fields (x, y, heading, health), and its clients send changed inputs; Tactus encrypts, and its clients send every input,
// as prediction requires. A server has one processor for itself; its clients use the others. The clients decrypt and count
// updates but do not decode them.
package main
