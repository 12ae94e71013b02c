// Package streams reads many TCP sockets from one goroutine without waiting. [Set] reports the readable sockets and reads
// them with the kernel's time stamps. WebSocket servers and load tests share this package. It works on Linux only;
// elsewhere [New] returns [ErrUnsupported].
package streams

import "errors"

// ErrUnsupported is returned by [New] on systems other than Linux.
var ErrUnsupported = errors.New("streams: not on this system")
