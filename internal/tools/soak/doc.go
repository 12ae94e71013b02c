// Command soak runs servers and clients on real sockets of this machine and looks for leaks. Clients join, play, change
// their address, fall silent for a while, leave, end without a close, come back, and take over their own session, at
// random. They use UDP and WebSocket. Everything runs in one process, so that the race detector
// sees it.
//
//	go run -race ./internal/tools/soak -for 10m     progress on stderr, one JSON object at the end on stdout
//	go run ./internal/tools/soak -h                 the flags
//
// After each round all clients have left or died. When the servers have no players, the command compares the goroutines,
// descriptors and memory of the process with those after the first round. Each client also sends numbered messages on a
// reliable channel, and the server sends them back: each message must come back once and in order, even if addresses
// change. No session may end without a reason.
//
// The exit code is 1 if a figure grew or a check failed.
package main
