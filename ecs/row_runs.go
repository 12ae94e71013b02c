package ecs

import (
	"bytes"
	"unsafe"
)

// rowRuns finds the runs of rows with equal numbers in a column, such as the rows of each owner.
//
// A game may write the column through a pointer at any time without a report. So rowRuns keeps a copy of the column, and the
// runs are valid while the column equals the copy. This also detects added, removed and moved rows. The comparison costs a
// tenth of a nanosecond per row. The zero rowRuns are those of an empty column.
type rowRuns struct {
	all    []rowRun // in the order of the rows
	heads  []int32  // 1 + index of each key's first run
	serial uint32   // raised when the runs change

	seen   []uint32             // the column of keys at the last update
	chains keyedTable[runChain] // the runs of each key
}

// rowRun is a run of rows with one key.
type rowRun struct {
	key        uint32
	nth        int32 // of the keys, in the order of their first rows
	start, end int32
	next       int32 // 1 + index of the key's next run; 0: none
}

// runChain is a key's first and last run, 1 + their index.
type runChain struct{ first, last int32 }

// update makes r the runs of a column.
func (r *rowRuns) update(column []uint32) {
	if bytes.Equal(columnBytes(r.seen), columnBytes(column)) {
		return
	}
	r.seen = append(r.seen[:0], column...)
	r.serial++
	r.all, r.heads = r.all[:0], r.heads[:0]
	r.chains.clear()
	for i := 0; i < len(r.seen); {
		run := rowRun{key: r.seen[i], start: int32(i)}
		for i++; i < len(r.seen) && r.seen[i] == run.key; i++ {
		}
		run.end = int32(i)
		at := int32(len(r.all) + 1)
		switch c := r.chains.put(run.key); {
		case c.first == 0:
			*c = runChain{at, at}
			run.nth = int32(len(r.heads))
			r.heads = append(r.heads, at)
		default:
			r.all[c.last-1].next = at
			run.nth = r.all[c.last-1].nth
			c.last = at
		}
		r.all = append(r.all, run)
	}
}

func columnBytes(column []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), 4*len(column))
}

// first returns 1 + the index of a key's first run, 0 when it has none.
func (r *rowRuns) first(key uint32) int32 {
	if c := r.chains.find(key); c != nil {
		return c.first
	}
	return 0
}
