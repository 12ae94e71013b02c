package apart

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// CPU is the processor time that this process has used, of the system for it included.
func CPU() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, err
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}

// Resident is how many bytes of memory this process has at the moment, and how many of them are no file's: heap,
// stacks, what the runtime keeps beside both, and globals that were written.
func Resident() (all, own int, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	for _, f := range []struct {
		name string
		to   *int
	}{{"VmRSS:", &all}, {"RssAnon:", &own}} {
		_, rest, _ := bytes.Cut(text, []byte("\n"+f.name))
		kib, err := strconv.Atoi(string(bytes.Fields(append(rest, '?'))[0]))
		if err != nil {
			return 0, 0, fmt.Errorf("/proc/self/status has no %s", f.name)
		}
		*f.to = kib << 10
	}
	return all, own, nil
}

// threads are the numbers of this process's threads.
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
