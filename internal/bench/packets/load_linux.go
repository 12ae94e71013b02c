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

// peer is one client. Whatever a kind does to its packets, its client undoes in exchange.
type peer interface {
	// exchange takes in all that has arrived, sends one packet, and returns how many were which.
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

// dial makes n peers, or none. They are numbered from 1.
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

// load lets the peers of one server send, each once a tick, all at their own time within it.
type load struct {
	peers          []peer
	received, sent atomic.Uint64
	stopped        atomic.Bool
	done           chan struct{}
}

// begin starts the load on some of the processors.
func begin(peers []peer, on *unix.CPUSet) *load {
	l := &load{peers: peers, done: make(chan struct{})}
	go l.run(on)
	return l
}

func (l *load) stop() {
	l.stopped.Store(true)
	<-l.done
}

// run has a thread of its own, whose sleeps end to the microsecond: by default Linux bundles those that end
// within 50 µs, and packets with them. When held up for a tick or more it does not catch up.
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
