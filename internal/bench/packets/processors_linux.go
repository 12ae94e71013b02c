package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// processors says where servers and where their load may run: apart, because what it costs to wake a server depends
// on whether the scheduler has put it where the load runs, and on whether it does changes from one moment to the next.
// Both are the same on a machine with one processor.
type processors struct{ servers, load, all unix.CPUSet }

func allProcessors() (p processors, err error) {
	if err := unix.SchedGetaffinity(0, &p.all); err != nil {
		return p, err
	}
	p.servers, p.load = p.all, p.all
	last := len(p.all)*64 - 1
	for last > 0 && !p.all.IsSet(last) {
		last--
	}
	if p.all.Count() > 1 {
		p.load.Clear(last)
		p.servers.Zero()
		p.servers.Set(last)
	}
	return p, nil
}

// on runs f on a thread that is held to a set of processors, as are processes that f starts.
func (p processors) on(set *unix.CPUSet, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, set); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &p.all) }()
	return f()
}
