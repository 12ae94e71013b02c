package snapshot

import "github.com/tactusgo/tactus/systems/internal/wire"

// longFor is how many sends a run that was much too long for a datagram is not
// tried again.
const longFor = 16

// longRuns remembers how long runs of groups were at a baseline of some age, lately.
type longRuns map[blockKey]longRun

type longRun struct {
	send uint32
	size int
}

func longKey(run *wire.BlockHead) blockKey {
	return blockKey{first: run.First, count: run.Count, age: min(run.Age, 8)}
}

// note notes how long a run was.
func (l longRuns) note(run *wire.BlockHead, send uint32, size int) {
	if run.Own || run.Slots != wire.AllSlots {
		return
	}
	if len(l) > 4*wire.MaxGroups {
		clear(l)
	}
	l[longKey(run)] = longRun{send, size}
}

// hopeless reports whether a run need not be encoded to know that it is too long.
func (l longRuns) hopeless(run *wire.BlockHead, send uint32, room int) bool {
	if run.Own || run.Slots != wire.AllSlots {
		return false
	}
	x, ok := l[longKey(run)]
	return ok && send-x.send < longFor && x.size > room+room/4
}
