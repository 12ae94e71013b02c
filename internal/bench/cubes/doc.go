// Command cubes measures snapshots of a recorded world of rigid bodies: the bytes
// of a frame, and the time to encode and decode it. The bodies are entities of an
// ordinary protocol, captured by internal/frames and encoded by codec/delta.
//
//	go run ./internal/bench/cubes -train FILE -score FILE          a table
//	go run ./internal/bench/cubes -train FILE -score FILE -json    one JSON object
//	go run ./internal/bench/cubes -h                               the meaning of the figures
package main
