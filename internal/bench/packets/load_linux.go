package main

import (
	"fmt"
	"net/netip"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// peer is one client. Whatever a kind does to its packets, its client undoes in exchange.
type peer interface {
	// exchange takes in all that has arrived, sends one packet, and returns how many were which.
	exchange() (received, sent int)
	close()
}

// plainPeer is a client without a session: a connected socket that nobody waits for, so that a server's send
// wakes nobody, as on a network.
type plainPeer struct {
	fd       int
	up, down []byte
}

func dialPlain(to netip.AddrPort, n int) ([]peer, error) {
	return dial(n, func(uint64) (peer, error) {
		fd, err := connect(to)
		if err != nil {
			return nil, err
		}
		return &plainPeer{fd, make([]byte, upSize), make([]byte, 2*downSize)}, nil
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

// connect opens a socket that does not block.
func connect(to netip.AddrPort) (fd int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (p *plainPeer) exchange() (received, sent int) {
	for {
		if _, err := unix.Read(p.fd, p.down); err != nil {
			break
		}
		received++
	}
	if _, err := unix.Write(p.fd, p.up); err == nil {
		sent = 1
	}
	return received, sent
}

func (p *plainPeer) close() { _ = unix.Close(p.fd) }

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
