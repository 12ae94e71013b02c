package main

import (
	"fmt"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// peer is a client that speaks the format of its kind of server.
type peer interface {
	// exchange reads all arrivals, sends one packet, and returns the numbers of packets.
	exchange() (received, sent int)
	close()
}

// plainPeer is a client without a session.
type plainPeer struct {
	*apart.Socket
	up []byte
}

func dialPlain(to netip.AddrPort, n int) ([]peer, error) {
	return dial(n, func(uint64) (peer, error) {
		s, err := apart.Dial(to)
		return &plainPeer{s, make([]byte, upSize)}, err
	})
}

// dial creates n peers, numbered from 1, or none.
func dial(n int, one func(id uint64) (peer, error)) (all []peer, err error) {
	for i := range n {
		p, err := one(uint64(i) + 1)
		if err != nil {
			closeAll(all)
			return nil, fmt.Errorf("client %d of %d: %w", i+1, n, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func closeAll(peers []peer) {
	for _, p := range peers {
		p.close()
	}
}

func (p *plainPeer) exchange() (received, sent int) {
	for {
		if _, ok := p.Read(); !ok {
			break
		}
		received++
	}
	if p.Send(time.Time{}, netip.AddrPort{}, p.up) == nil {
		sent = 1
	}
	return received, sent
}

func (p *plainPeer) close() { _ = p.Close() }

// load makes each peer of a server send once per tick, at its own time within the tick.
type load struct {
	peers          []peer
	received, sent atomic.Uint64
	stopped        atomic.Bool
	done           chan struct{}
}

// startLoad starts the load on the given processors.
func startLoad(peers []peer, on *unix.CPUSet) *load {
	l := &load{peers: peers, done: make(chan struct{})}
	go l.run(on)
	return l
}

func (l *load) stop() {
	l.stopped.Store(true)
	<-l.done
}

// run uses its own thread with a timer slack of one microsecond. By default Linux merges sleeps that end within 50 µs,
// which would bunch packets. If delayed by a tick or more, run does not catch up.
func (l *load) run(on *unix.CPUSet) {
	defer close(l.done)
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	_ = unix.SchedSetaffinity(0, on)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0)
	start, n := monotonic(), int64(len(l.peers))
	for k := int64(0); !l.stopped.Load(); k++ {
		due := start + k*int64(tick)/n
		switch late := monotonic() - due; {
		case late < 0:
			ts := unix.NsecToTimespec(due)
			_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
		case late > int64(tick):
			start += late
		}
		received, sent := l.peers[k%n].exchange()
		l.received.Add(uint64(received))
		l.sent.Add(uint64(sent))
	}
}

func monotonic() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}
