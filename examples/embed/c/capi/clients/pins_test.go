//go:build cgo

package clients

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/examples/embed/c/capi/internal/pinned"
)

// unpinned reports whether memory leads to what is not pinned.
func unpinned(p unsafe.Pointer) (is bool) {
	defer func() { is = recover() != nil }()
	pinned.Check(p)
	return false
}

// All that a view leads to is pinned, in every frame, and nothing is once the client is closed.
func TestPinned(t *testing.T) {
	m := newMatch(t)
	n, other := m.open(1), m.open(2)
	var views, columns, singles, news int
	look := func(v *View) {
		views++
		if unpinned(unsafe.Pointer(v)) || unpinned(unsafe.Pointer(v.Table)) || unpinned(unsafe.Pointer(v.Singles)) {
			t.Fatalf("something of the view is not pinned: %+v", v)
		}
		for i, x := range v.tables() {
			columns++
			if unpinned(unsafe.Pointer(x.Columns)) {
				t.Fatalf("a column of table %d is not pinned", i)
			}
		}
		for _, p := range unsafe.Slice(v.Singles, v.Columns) {
			if p != nil {
				singles++
			}
		}
		if v.NewsCount > 0 && v.ValuesSize > 0 {
			news++
		}
		if views%40 == 0 {
			runtime.GC()
		}
	}
	m.play(time.Second, look, n)
	m.play(2*time.Second, look, n, other) // rows come, and memory moves
	m.Send(n, 0, make([]byte, 81))
	said := make([]byte, 81)
	copy(said, "\x02hi")
	m.Send(n, 0, said)
	m.play(time.Second, look, n, other)
	if columns == 0 || singles == 0 || news == 0 {
		t.Errorf("of %d views %d tables, %d singles, %d with values", views, columns, singles, news)
	}
	v := m.Frame(n, m.at())
	if !unpinned(unsafe.Pointer(&struct{ p *int }{new(int)})) {
		t.Fatal("what is not pinned is not found")
	}
	if m.Close(n); !unpinned(unsafe.Pointer(v)) {
		t.Error("memory of a closed client is still pinned")
	}
}

// held pins the arrays of the last call, and no others.
func TestHold(t *testing.T) {
	var k held
	all := make([]*struct{ p *[32]byte }, 12)
	for i := range all {
		all[i] = &struct{ p *[32]byte }{new([32]byte)}
	}
	check := func(from, to int) {
		t.Helper()
		for i, x := range all {
			if is := !unpinned(unsafe.Pointer(x)); is != (from <= i && i < to) {
				t.Errorf("number %d is pinned: %v", i, is)
			}
		}
	}
	want := func(from, to int) (list []unsafe.Pointer) {
		for _, x := range all[from:to] {
			list = append(list, unsafe.Pointer(x.p), nil)
		}
		return list
	}
	for _, x := range [][2]int{{0, 6}, {0, 6}, {6, 12}, {3, 9}, {4, 6}, {0, 0}, {11, 12}, {0, 0}} {
		k.hold(want(x[0], x[1]))
		check(x[0], x[1])
	}
	runtime.KeepAlive(all)
}
