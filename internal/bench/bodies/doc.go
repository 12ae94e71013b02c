// Command bodies measures the bytes that a client receives of 250 rigid bodies, and the error of their positions and rotations, with
// and without loss. Server and client play in virtual time, so the same flags print the same figures.
//
//	go run ./internal/bench/bodies          a table; half a minute
//	go run ./internal/bench/bodies -json    one JSON object
//	go run ./internal/bench/bodies -h       the flags and the meaning of the figures
//
// Package examples/bodies/scene has the scene, its source and the rates that others have published for it. go run ./examples/bodies
// shows the scene in a browser.
package main
