// Command cubes measures snapshots on a recorded world of rigid bodies: the bytes
// of a frame, and the time to code and decode it. The bodies are entities of an
// ordinary protocol, and take the way of all entities: captured by internal/capture,
// coded by codec/delta.
//
//	go run ./internal/bench/cubes -train FILE -score FILE          a table
//	go run ./internal/bench/cubes -train FILE -score FILE -json    one JSON object
//	go run ./internal/bench/cubes -h                               what the figures are
package main
