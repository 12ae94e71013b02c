// Command sizes builds clients for browsers and prints what a player downloads: bytes, and compressed by gzip 9 and brotli
// 11, which Node does where it is.
//
//	go run ./internal/tools/sizes                 an empty Go program, and the clients of the arena and the platformer
//	go run ./internal/tools/sizes page.wasm       files beside them: a client of your own, somebody's bundle
//
// docs/guide/measuring.md has what it printed.
package main
