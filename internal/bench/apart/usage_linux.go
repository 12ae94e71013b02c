package apart

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Resident returns the bytes of memory that this process has now, and how many of them belong to no file: heap, stacks, the
// runtime's own data, and globals that were written.
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
