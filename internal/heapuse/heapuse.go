package heapuse

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Profile is the memory that was allocated since it began.
type Profile struct{}

// Begin makes the runtime note every allocation until the test ends. Other tests must not run beside it.
func Begin(t testing.TB) Profile {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	t.Cleanup(func() { runtime.MemProfileRate = rate })
	return Profile{}
}

// Use is memory in use, by the function that allocated it.
type Use struct {
	Bytes int64 // all of it
	sites map[string]int64
}

// Under is the memory in use that was allocated while a function ran whose name begins with one of those of under, and
// none whose name begins with one of those of but.
func (Profile) Under(under, but []string) Use {
	// A profile is of the collection before the last.
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

// place is the function that allocated, outside of the runtime, and whether that counts.
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

// Less is what is more than in another use, by function.
func (u Use) Less(o Use) Use {
	more := Use{Bytes: u.Bytes - o.Bytes, sites: make(map[string]int64)}
	for site, bytes := range u.sites {
		more.sites[site] = bytes - o.sites[site]
	}
	return more
}

// Table lists the functions that allocated most, at most so many, with their bytes by each of n.
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
