package websocket

import (
	"fmt"
	"strings"
	"testing"
)

func TestQueueDropsTheOldest(t *testing.T) {
	q := newQueue(3)
	for i := range 5 {
		q.put(fmt.Append(nil, i))
	}
	q.close()
	q.put([]byte("late"))
	var got strings.Builder
	for {
		b, err := q.next()
		if err != nil {
			break
		}
		got.WriteString(string(b))
	}
	if got.String() != "234" || q.dropped() != 3 {
		t.Errorf("%q left, %d dropped", got.String(), q.dropped())
	}
}

func TestQueueAbandoned(t *testing.T) {
	q := newQueue(3)
	q.put([]byte("a"))
	q.put([]byte("b"))
	q.abandon()
	if b, err := q.next(); err == nil || q.dropped() != 2 {
		t.Errorf("%q left; %d dropped", b, q.dropped())
	}
	q.put([]byte("while abandoned"))
	q.reopen()
	q.put([]byte("c"))
	if b, err := q.next(); string(b) != "c" || err != nil || q.dropped() != 3 {
		t.Errorf("%q, %v; %d dropped", b, err, q.dropped())
	}
	q.close()
	q.abandon()
	q.reopen()
	if b, err := q.next(); err == nil {
		t.Errorf("%q left after close", b)
	}
}

func TestQueueAllocatesNothing(t *testing.T) {
	q := newQueue(4)
	b := make([]byte, 400)
	round := func() {
		for range 6 {
			q.put(b)
		}
		for q.count > 0 {
			_, _ = q.next()
		}
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
