package apart

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithParent lets the kernel kill a process when this process ends, even while it is paused.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// Processors are the processors of servers and of their load. They are separate, because the cost of waking a server depends
// on where the scheduler has placed the server and the load.
type Processors struct{ Servers, Load, All unix.CPUSet }

// Split gives servers the last n processors of this process, and the load the others. If n is 1 and there is only one
// processor, they share it. The error contains the number of processors.
func Split(n int) (p Processors, err error) {
	if p.All, err = available(); err != nil {
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

// available returns the processors on which this process was started.
var available = sync.OnceValues(func() (set unix.CPUSet, err error) {
	err = unix.SchedGetaffinity(0, &set)
	return set, err
})

// On runs f on a thread that is bound to a set of processors. Processes started by f inherit the set.
func (p Processors) On(set *unix.CPUSet, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, set); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &p.All) }()
	return f()
}

// Stay binds all threads of this process, including future threads, to a set of processors.
func Stay(set *unix.CPUSet) error {
	// A new thread inherits the affinity of its creator. Repeat until no thread has appeared.
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

// Separate binds this process to all but the last n processors. It returns a function that starts processes on the last n
// processors, and the number of processors of this process.
func Separate(n int) (on func(start func() error) error, processors int, err error) {
	p, err := Split(n)
	if err != nil {
		return nil, 0, err
	}
	if err := Stay(&p.Load); err != nil {
		return nil, 0, err
	}
	runtime.GOMAXPROCS(p.Load.Count())
	p.All = p.Load // the set to which On returns the thread
	return func(start func() error) error { return p.On(&p.Servers, start) }, p.Load.Count(), nil
}

// threads returns the ids of this process's threads.
func threads() (ids []int, err error) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
