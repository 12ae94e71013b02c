package eventloop_test

import (
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

func listenCoalescing(t *testing.T, by time.Duration) (*eventloop.Listener, net.Conn) {
	t.Helper()
	return listenWith(t, eventloop.ListenConfig{Coalesce: by})
}

func listenWith(t *testing.T, c eventloop.ListenConfig) (*eventloop.Listener, net.Conn) {
	t.Helper()
	l, err := c.Listen("127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	conn, err := net.Dial("udp", l.LocalAddr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return l, conn
}

// The next poll delivers the datagrams that arrived while the loop slept, in order, once each, and with valid arrival times,
// whether the loop or the poll read them.
func TestCoalesceDelaysNothing(t *testing.T) {
	for _, by := range []time.Duration{-1, 500 * time.Microsecond, 100 * time.Millisecond} {
		l, conn := listenCoalescing(t, by)
		const total = 600
		next, lost, last := uint32(0), uint32(0), time.Now()
		for sent := uint32(0); sent < total; {
			for range 1 + sent%40 {
				write(t, conn, binary.BigEndian.AppendUint32(nil, sent))
				sent++
			}
			time.Sleep(time.Duration(sent%3) * time.Millisecond)
			before := next
			for begun, again := time.Now(), 1; next < sent; {
				now := time.Now()
				if now.Sub(begun) > time.Minute {
					t.Fatalf("%v: %d of %d arrived", by, next, sent)
				}
				if now.Sub(begun) > time.Duration(again)*2*time.Second { // the last one was lost
					write(t, conn, binary.BigEndian.AppendUint32(nil, sent))
					sent++
					again++
				}
				l.Poll(now, func(d netsys.Datagram) {
					got := binary.BigEndian.Uint32(d.Data)
					if got < next {
						t.Errorf("%v: %d after %d", by, got, next)
					}
					lost += got - next
					next = got + 1
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
			l.Poll(time.Now(), func(d netsys.Datagram) {
				got := binary.BigEndian.Uint32(d.Data)
				lost, next = lost+got-next, got+1
			})
			time.Sleep(time.Millisecond)
		}
		lost += total - min(next, total)
		if lost > total/10 || l.Dropped() > 0 {
			t.Errorf("%v: %d of %d are lost, %d dropped", by, lost, total, l.Dropped())
		}
	}
}

// While the loop sleeps gnet reads nothing, so that it does not allocate for each datagram either. However slow the
// machine, between two wake-ups lies a sleep.
func TestCoalesceSparesWakeUps(t *testing.T) {
	const sleep = 100 * time.Millisecond
	l, conn := listenCoalescing(t, sleep)
	n := 0
	count := func(netsys.Datagram) { n++ }
	b := make([]byte, 100)
	const many = 200
	round := func() {
		want := n + many
		waitFor(t, l, count, func() {
			for range want - n {
				write(t, conn, b)
			}
		}, func() bool { return n >= want })
	}
	const rounds = 10
	begin := time.Now()
	round()
	allocs := testing.AllocsPerRun(rounds, round)
	sleeps := uint64(time.Since(begin) / sleep)
	if woken := l.WakeUps(); woken == 0 || woken > sleeps+1 {
		t.Errorf("%d datagrams woke the loop up %d times, between which it slept at most %d times", n, woken, sleeps)
	}
	// Five are gnet's for each wake-up; the rest, per round, is what the machine's own timers may take.
	if most := float64(many/2) + 5*float64(sleeps+1)/rounds; allocs > most && !race.Enabled {
		t.Errorf("%v allocations for %d datagrams, %v at most", allocs, many, most)
	}
}

// While somebody polls, the loop sleeps and leaves the socket to the polls: the first datagram wakes it once. When nobody
// polls, the loop reads, so that the kernel's buffer does not overflow.
func TestCoalesceLeavesTheSocketToWhoPolls(t *testing.T) {
	l, conn := listenCoalescing(t, time.Millisecond)
	n := 0
	count := func(netsys.Datagram) { n++ }
	begun := time.Now()
	for sent := 1; time.Since(begun) < 300*time.Millisecond || n < 3; sent++ {
		waitFor(t, l, count, func() { write(t, conn, []byte("x")) }, func() bool { return n >= sent })
	}
	if slow := uint64(time.Since(begun) / time.Second); l.WakeUps() > 1+slow {
		t.Errorf("%d datagrams woke the loop up %d times", n, l.WakeUps())
	}
	l, conn = listenWith(t, eventloop.ListenConfig{Coalesce: time.Millisecond, Queue: 64})
	for range 100_000 {
		write(t, conn, []byte("x"))
		if l.Dropped() > 0 {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
	t.Error("the queue never overflows: the loop takes nothing although nobody polls")
}

// The kernel stamps arrivals, so a late poll does not make a datagram late. While the loop sleeps, only the kernel can have
// stamped a datagram with a time between the moments before and after it was sent. The test tries many times, because the
// kernel begins to stamp with a delay, and reading two clocks takes time too.
func TestCoalesceKeepsTheTimeOfArrival(t *testing.T) {
	const sleep = 100 * time.Millisecond
	l, conn := listenCoalescing(t, sleep)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		woken, begin := l.WakeUps(), time.Now()
		netsystest.Arrival(t, l, func() error {
			_, err := conn.Write([]byte("wakes the loop, or finds it asleep"))
			return err
		})
		var before, after time.Time
		d := netsystest.Arrival(t, l, func() error {
			before = time.Now()
			_, err := conn.Write([]byte("waits"))
			after = time.Now()
			return err
		})
		asleep := l.WakeUps() == woken+1 && time.Since(begin) < sleep
		if asleep && !d.At.Before(before) && !d.At.After(after) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("no arrival has the time at which it was sent")
}
