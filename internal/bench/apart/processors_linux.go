package apart

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Processors says where servers and where their load may run: apart, because what it costs to wake a server depends
// on whether the scheduler has put it where the load runs, and on whether it does changes from one moment to the next.
type Processors struct{ Servers, Load, All unix.CPUSet }

// Split gives servers the last n processors that this process may use, and the load the others. On a machine with one
// processor both have that, when n is 1. The error says how many there are.
func Split(n int) (p Processors, err error) {
	if err := unix.SchedGetaffinity(0, &p.All); err != nil {
		return p, err
	}
	p.Servers, p.Load = p.All, p.All
	all := p.All.Count()
	if n == 1 && all == 1 {
		return p, nil
	}
	if n < 1 || n >= all {
		return p, fmt.Errorf("%d of %d processors: the load needs one, 1 to %d are allowed", n, all, max(all-1, 1))
	}
	p.Servers.Zero()
	for at := len(p.All)*64 - 1; p.Servers.Count() < n; at-- {
		if p.All.IsSet(at) {
			p.Servers.Set(at)
			p.Load.Clear(at)
		}
	}
	return p, nil
}

// On runs f on a thread that is held to a set of processors, as are processes that f starts.
func (p Processors) On(set *unix.CPUSet, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, set); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &p.All) }()
	return f()
}

// Stay holds all threads of this process to a set of processors, those that are still to come too.
func Stay(set *unix.CPUSet) error {
	// A thread that comes has the affinity of the one that makes it, and any may: so it is said to all, until
	// there was no other.
	for before := -1; ; {
		tasks, err := threads()
		if err != nil {
			return err
		}
		for _, id := range tasks {
			if err := unix.SchedSetaffinity(id, set); err != nil && err != unix.ESRCH {
				return err
			}
		}
		if len(tasks) == before {
			return nil
		}
		before = len(tasks)
	}
}
