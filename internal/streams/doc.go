// Package streams reads many TCP sockets from one goroutine that never waits for them: [Set] says which have something,
// and reads with the kernel's time stamps. It is what servers and load tests over WebSocket have in common. On systems
// other than Linux there is no Set, and [New] says so.
package streams

import "errors"

// ErrUnsupported is returned by [New] on systems other than Linux.
var ErrUnsupported = errors.New("streams: not on this system")
