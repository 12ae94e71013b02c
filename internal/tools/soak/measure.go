package main

import (
	"fmt"
	"os"
	"runtime"
)

// figures count resources that a process can leak.
type figures struct {
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"` // −1 if the system does not report them
	HeapKB      int `json:"heap_kb"`     // in use after a garbage collection
}

// measure collects garbage and returns the figures.
func measure() figures {
	var m runtime.MemStats
	for range 3 {
		runtime.GC() // finalizers of one collection free objects for the next
	}
	runtime.ReadMemStats(&m)
	return figures{runtime.NumGoroutine(), descriptors(), int(m.HeapAlloc >> 10)}
}

// descriptors returns the number of open file descriptors on Linux.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(entries)
}

// Accepted growth: goroutines that are about to end, and tables of a server that reach their final size.
const (
	slackGoroutines = 2
	slackHeapKB     = 2 << 10
)

// growth describes the figures that grew since was. It returns nil if none did.
func (f figures) growth(was figures) (grown []string) {
	if f.Goroutines > was.Goroutines+slackGoroutines {
		grown = append(grown, fmt.Sprintf("%d goroutines, %d before", f.Goroutines, was.Goroutines))
	}
	if f.Descriptors > was.Descriptors {
		grown = append(grown, fmt.Sprintf("%d descriptors, %d before", f.Descriptors, was.Descriptors))
	}
	if f.HeapKB > was.HeapKB+slackHeapKB {
		grown = append(grown, fmt.Sprintf("%d kB of heap, %d before", f.HeapKB, was.HeapKB))
	}
	return grown
}

func (f figures) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d kB of heap", f.Goroutines, f.Descriptors, f.HeapKB)
}
