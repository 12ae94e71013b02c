package main

import (
	"fmt"
	"os"
	"runtime"
)

// figures are what a process can leak.
type figures struct {
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"` // −1 where they cannot be counted
	HeapKB      int `json:"heap_kb"`     // in use after a collection
}

// measure collects garbage and counts.
func measure() figures {
	var m runtime.MemStats
	for range 3 {
		runtime.GC() // finalizers of the first free what the next ones find
	}
	runtime.ReadMemStats(&m)
	return figures{runtime.NumGoroutine(), descriptors(), int(m.HeapAlloc >> 10)}
}

// descriptors counts the open ones by what Linux says of the process.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(entries)
}

// The growth that is none: goroutines that are about to end, tables of a server that grew to their size.
const (
	slackGoroutines = 2
	slackHeapKB     = 2 << 10
)

// growth is what became more than it was, nil when nothing did.
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
