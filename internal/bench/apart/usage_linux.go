package apart

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Resident returns the resident memory of this process in bytes, and the part that belongs to no file: heap, stacks, data of
// the runtime, and changed globals.
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
