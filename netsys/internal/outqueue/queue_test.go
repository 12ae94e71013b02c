package outqueue

import (
	"fmt"
	"strings"
	"testing"
)

func TestQueueDropsTheOldest(t *testing.T) {
	q := New(3)
	for i := range 5 {
		q.Put(fmt.Append(nil, i))
	}
	q.Close()
	q.Put([]byte("late"))
	var got strings.Builder
	for {
		b, err := q.Next()
		if err != nil {
			break
		}
		got.WriteString(string(b))
	}
	if got.String() != "234" || q.Dropped() != 3 {
		t.Errorf("%q left, %d dropped", got.String(), q.Dropped())
	}
}

func TestQueueAbandoned(t *testing.T) {
	q := New(3)
	q.Put([]byte("a"))
	q.Put([]byte("b"))
	q.Abandon()
	if b, err := q.Next(); err == nil || q.Dropped() != 2 {
		t.Errorf("%q left; %d dropped", b, q.Dropped())
	}
	q.Put([]byte("while abandoned"))
	q.Reopen()
	q.Put([]byte("c"))
	if b, err := q.Next(); string(b) != "c" || err != nil || q.Dropped() != 3 {
		t.Errorf("%q, %v; %d dropped", b, err, q.Dropped())
	}
	q.Close()
	q.Abandon()
	q.Reopen()
	if b, err := q.Next(); err == nil {
		t.Errorf("%q left after close", b)
	}
}

func TestQueueAllocatesNothing(t *testing.T) {
	q := New(4)
	b := make([]byte, 400)
	round := func() {
		for range 6 {
			q.Put(b)
		}
		for q.count > 0 {
			_, _ = q.Next()
		}
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
