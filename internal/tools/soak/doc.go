// Command soak runs servers and clients on real sockets of this machine for as long as one likes and looks for what
// leaks. Clients join, play, change their address, fall silent for a while, leave, die without a word, come back and
// take over from themselves, at random, over gnet's UDP, the batch backend and WebSocket, all in one process, which
// the race detector can watch.
//
//	go run -race ./internal/tools/soak -for 10m     progress on stderr, one JSON object at the end on stdout
//	go run ./internal/tools/soak -h                 the flags
//
// After each round everybody leaves or dies, the servers wait until they have nobody, and what the process then has
// of goroutines, descriptors and memory is compared with what it had after the first round. Each client also sends
// numbered messages on a reliable channel, which its server sends back: those must come in order, once, whatever
// happens to addresses meanwhile; and no session may end that nobody ended.
//
// The exit code is 1 when something grew or went wrong.
package main
