package heapuse

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Profile is a memory profile that contains every allocation since Begin.
type Profile struct{}

// Begin makes the runtime record every allocation until the test ends. No other test may run at the same time.
func Begin(t testing.TB) Profile {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	t.Cleanup(func() { runtime.MemProfileRate = rate })
	return Profile{}
}

// Use is the memory in use, by the function that allocated it.
type Use struct {
	Bytes int64            // total
	sites map[string]int64 // bytes by function and line
}

// Under returns the memory in use that was allocated in calls of certain functions: those whose name starts with an element of
// under. It leaves out allocations with a function on the stack whose name starts with an element of but.
func (Profile) Under(under, but []string) Use {
	// A profile may be up to two garbage collections old.
	runtime.GC()
	runtime.GC()
	var records []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, false); !ok; {
		records = make([]runtime.MemProfileRecord, n+200)
		if n, ok = runtime.MemProfile(records, false); ok {
			records = records[:n]
		}
	}
	u := Use{sites: make(map[string]int64)}
	for i := range records {
		r := &records[i]
		if site, in := place(r.Stack(), under, but); in && r.InUseBytes() > 0 {
			u.Bytes += r.InUseBytes()
			u.sites[site] += r.InUseBytes()
		}
	}
	return u
}

// place returns the function that allocated, outside of the standard library, and whether the allocation counts.
func place(stack []uintptr, under, but []string) (site string, in bool) {
	for frames := runtime.CallersFrames(stack); ; {
		f, more := frames.Next()
		begins := func(name string) bool { return strings.HasPrefix(f.Function, name) }
		if slices.ContainsFunc(but, begins) {
			return "", false
		}
		in = in || slices.ContainsFunc(under, begins)
		if site == "" && strings.Contains(f.Function, "/") && !strings.HasPrefix(f.Function, "internal/") && !strings.Contains(f.Function, "/internal/reuse.") {
			site = fmt.Sprintf("%s:%d", f.Function[strings.LastIndex(f.Function, "/")+1:], f.Line)
		}
		if !more {
			return site, in
		}
	}
}

// Less returns the difference u − o, for the functions in u.
func (u Use) Less(o Use) Use {
	more := Use{Bytes: u.Bytes - o.Bytes, sites: make(map[string]int64)}
	for site, bytes := range u.sites {
		more.sites[site] = bytes - o.sites[site]
	}
	return more
}

// Table lists the functions with the most memory, at most most of them, one per line. It divides the bytes by n, for example the
// number of clients.
func (u Use) Table(most, n int) string {
	type line struct {
		site  string
		bytes int64
	}
	var lines []line
	for site, bytes := range u.sites {
		lines = append(lines, line{site, bytes})
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.site, b.site)) })
	var b strings.Builder
	for _, l := range lines[:min(most, len(lines))] {
		fmt.Fprintf(&b, "%9d  %s\n", l.bytes/int64(n), l.site)
	}
	return b.String()
}
