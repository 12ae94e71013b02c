package bind_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/systems/host"
)

// JavaScript reads the columns, singletons and news that Go has written, and Go reads the bytes that JavaScript writes.
func TestJavaScriptReadsAndWritesAsGo(t *testing.T) {
	node := tool(t, "node")
	p, b := protocol("kit/1")
	folder := written(t, p, b)
	for _, seed := range seeds {
		all := samples(seed, p, b)
		file := put(t, t.TempDir(), "samples.json", toJSON(t, all))
		out, err := exec.Command(node, "--expose-gc", "--min-semi-space-size=16", "testdata/read.mjs", filepath.Join(folder, "kit.mjs"), file).Output()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, stderr(err))
		}
		var got struct {
			Rows []struct {
				Name            string
				Columns, Values [][]leaf
				Written         []string
			}
			Hash  string
			Lines []string
			Mood  map[string]int
			Heap  float64
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		if got.Hash != fmt.Sprintf("%016x", p.Hash()) || !slices.Equal(got.Lines, host.Lines(p, b)) || got.Mood["Wild"] != 2 {
			t.Errorf("hash %s, lines %q, enum %v", got.Hash, got.Lines, got.Mood)
		}
		if got.Heap > 64 {
			t.Errorf("seed %d: a frame leaves %v bytes behind", seed, got.Heap)
		}
		for i, s := range all {
			g := got.Rows[i]
			where := fmt.Sprintf("go test -run %s: seed %d, %s", t.Name(), seed, s.Name)
			if s.Place >= 0 && len(g.Columns) != len(s.Rows) || s.Place < 0 && (len(g.Values) != len(s.Rows) || len(g.Written) != len(s.Rows)) {
				t.Fatalf("%s: %d rows of columns, %d values, %d written", where, len(g.Columns), len(g.Values), len(g.Written))
			}
			for r, row := range g.Columns {
				equal(t, fmt.Sprintf("%s, row %d", where, r), row, s.Rows[r])
			}
			for r, row := range g.Values {
				equal(t, fmt.Sprintf("%s, value %d", where, r), row, s.Rows[r])
			}
			for r, text := range g.Written {
				mem, _ := hex.DecodeString(text)
				if len(mem) != int(s.table.Size) {
					t.Fatalf("%s: %d bytes, it has %d", where, len(mem), s.table.Size)
				}
				equal(t, fmt.Sprintf("%s, written %d", where, r), leaves(s.table, unsafe.Pointer(&mem[0])), s.Rows[r])
			}
		}
	}
}

func stderr(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok {
		return e.Stderr
	}
	return nil
}
