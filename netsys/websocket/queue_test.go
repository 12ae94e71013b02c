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
		b, ok := q.next()
		if !ok {
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
	if _, ok := q.next(); ok || q.dropped() != 2 {
		t.Errorf("something left; %d dropped", q.dropped())
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
			q.next()
		}
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
