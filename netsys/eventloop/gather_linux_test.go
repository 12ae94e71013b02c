package eventloop_test

import (
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

func listenCoalescing(t *testing.T, by time.Duration) (*eventloop.Listener, net.Conn) {
	t.Helper()
	l, err := eventloop.ListenConfig{Coalesce: by}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	conn, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return l, conn
}

// What arrives while the loop sleeps is there for the next poll, in order, once, and with times of arrival that a
// wire promises, whether loop or poll read it.
func TestCoalesceDelaysNothing(t *testing.T) {
	for _, by := range []time.Duration{-1, 500 * time.Microsecond, 100 * time.Millisecond} {
		l, conn := listenCoalescing(t, by)
		const total = 600
		next, last := uint32(0), time.Now()
		for sent := uint32(0); sent < total; {
			for range 1 + sent%40 {
				if _, err := conn.Write(binary.BigEndian.AppendUint32(nil, sent)); err != nil {
					t.Fatal(err)
				}
				sent++
			}
			time.Sleep(time.Duration(sent%3) * time.Millisecond)
			before := next
			for next < sent {
				now := time.Now()
				l.Poll(now, func(d netsys.Datagram) {
					if got := binary.BigEndian.Uint32(d.Data); got != next {
						t.Errorf("%v: %d after %d", by, got, next)
					}
					next++
					if d.At.Before(last) || d.At.After(now) {
						t.Errorf("%v: number %d arrived %v after the one before, %v after the poll", by, next-1, d.At.Sub(last), d.At.Sub(now))
					}
					last = d.At
				})
				if by > 0 && next == before {
					break // gnet has the first one in its hand
				}
			}
		}
		for range 10_000 {
			if next >= total {
				break
			}
			l.Poll(time.Now(), func(netsys.Datagram) { next++ })
			time.Sleep(time.Millisecond)
		}
		if next < total || l.Dropped() > 0 {
			t.Errorf("%v: %d of %d arrived, %d dropped", by, next, total, l.Dropped())
		}
	}
}

// While the loop sleeps gnet reads nothing, so that it does not allocate for each datagram either.
func TestCoalesceSparesWakeUps(t *testing.T) {
	l, conn := listenCoalescing(t, 100*time.Millisecond)
	n := 0
	count := func(netsys.Datagram) { n++ }
	b := make([]byte, 100)
	const many = 200
	round := func() {
		want := n + many
		for range many {
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		for l.Poll(time.Now(), count); n < want; l.Poll(time.Now(), count) {
			time.Sleep(50 * time.Microsecond)
		}
	}
	round()
	if woken := l.WakeUps(); woken == 0 || woken > many/2 {
		t.Errorf("%d datagrams woke the loop up %d times", many, woken)
	}
	if allocs := testing.AllocsPerRun(10, round); allocs > many && !raceEnabled {
		t.Errorf("%v allocations for %d datagrams", allocs, many)
	}
}

// The stamp is the kernel's: what a poll finds late did not arrive late.
func TestCoalesceKeepsTheTimeOfArrival(t *testing.T) {
	l, conn := listenCoalescing(t, 100*time.Millisecond)
	_, _ = conn.Write([]byte("wakes the loop"))
	receiveOne(t, l)
	before := time.Now()
	_, _ = conn.Write([]byte("waits"))
	after := time.Now()
	time.Sleep(20 * time.Millisecond)
	if d := receiveOne(t, l); d.At.Before(before.Add(-5*time.Millisecond)) || d.At.After(after.Add(5*time.Millisecond)) {
		t.Errorf("sent within %v, arrived %v later", after.Sub(before), d.At.Sub(before))
	}
}
