// Command peers runs one workload on Tactus and on Colyseus, side by side on this machine, and prints bytes, processor
// time and how many players each one carries. It needs Linux, Node and npm; the first run installs Colyseus beside
// this file, in the versions of colyseus/package-lock.json.
//
//	go -C internal/bench/peers run .                      a table; some twenty minutes
//	go -C internal/bench/peers run . -most=false          without the search for the most players; two minutes
//	go -C internal/bench/peers run . -json                one JSON object on the last line of stdout
//	go -C internal/bench/peers run . -h                   the flags, and what the columns are
//
// The workload is the arena: clients that walk, and entities of the server of which half rest. Everybody sees everything.
// The simulation has 60 steps a second, and a client is sent the state 20 times a second. Each side has its best
// settings: Colyseus sends changes of quantized fields, which are x, y, heading and health, and its clients send inputs
// that have changed; Tactus encrypts, and its clients send each input, as prediction asks for. A server has one processor
// to itself, and its clients the others. These open what comes and count it, and decode nothing.
package main
