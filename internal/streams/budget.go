package streams

import "sync/atomic"

// spare is the number of file descriptors that connections leave for everything else in the process: files, saves, sockets.
const spare = 64

// noLimit stands for an unlimited number of files.
const noLimit = 1 << 30

// least is the number of them that servers without a reservation get in any case.
const least = 16

// reserved and used count the file descriptors of the process that [Reserve] and [Take] gave.
var reserved, used atomic.Int64

// Reserve sets n file descriptors of the process aside for the connections of one server, until release is called. It fails
// if the process may not have n and 64 other files open, and then returns the number that it may have open.
func Reserve(n int) (release func(), limit int, ok bool) {
	limit = fileLimit()
	if n > limit-spare {
		return nil, limit, false
	}
	reserved.Add(int64(n))
	return func() { reserved.Add(-int64(n)) }, limit, true
}

// Unreserved returns the number of file descriptors that [Take] may give in all.
func Unreserved() int { return max(fileLimit()-spare-int(reserved.Load()), least) }

// Take counts one connection of a server without a reservation. It fails if all servers of the process together have as many
// as [Unreserved] allows. Call Give when the connection is closed.
func Take() bool {
	if used.Add(1) > int64(Unreserved()) {
		used.Add(-1)
		return false
	}
	return true
}

// Give ends what [Take] began.
func Give() { used.Add(-1) }
