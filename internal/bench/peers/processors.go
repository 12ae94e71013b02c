package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// processors says where servers and their clients run: apart, so that what is measured of a server is its own.
type processors struct{ servers, load, all unix.CPUSet }

// heldVariable has the processors of this program as they were before it held itself to those of the clients.
const heldVariable = "TACTUS_PEERS_PROCESSORS"

var errOneProcessor = errors.New("a server and its clients need a processor each, and there is one")

// hold makes this program run again, with all its threads on the processors of the clients.
func hold() error {
	if os.Getenv(heldVariable) != "" {
		return nil
	}
	var p processors
	if err := unix.SchedGetaffinity(0, &p.all); err != nil {
		return err
	}
	p.divide()
	if p.all.Count() < 2 {
		return errOneProcessor
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, &p.load); err != nil {
		return err
	}
	return unix.Exec(self, os.Args, append(os.Environ(), heldVariable+"="+list(&p.all)))
}

// allProcessors are those that there were before hold.
func allProcessors() (p processors, err error) {
	for _, n := range strings.Fields(os.Getenv(heldVariable)) {
		var i int
		if _, err := fmt.Sscan(n, &i); err != nil {
			return p, fmt.Errorf("%s: %w", heldVariable, err)
		}
		p.all.Set(i)
	}
	p.divide()
	return p, nil
}

// divide gives servers the last processor, and clients the others.
func (p *processors) divide() {
	p.load = p.all
	for i := len(p.all)*64 - 1; i >= 0; i-- {
		if p.all.IsSet(i) {
			p.load.Clear(i)
			p.servers.Set(i)
			return
		}
	}
}

func list(set *unix.CPUSet) string {
	var b strings.Builder
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			fmt.Fprint(&b, i, " ")
		}
	}
	return b.String()
}

// on runs f on a thread that is held to a set of processors, as are processes that f starts.
func (p *processors) on(set *unix.CPUSet, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, set); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &p.load) }()
	return f()
}

// processorTime is what this program has used since it began.
func processorTime() time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
