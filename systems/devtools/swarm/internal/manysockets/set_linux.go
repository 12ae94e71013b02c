package manysockets

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// Set is the transports of many clients to one server. Make it with [Config.Dial].
type Set struct {
	config  Config
	remote  netip.AddrPort
	sockets []socket // shared, or one per client
	shared  bool
	wires   []*wire // nil: not requested
	in      *mmsg.Reader
	single  *mmsg.Writer // for sockets that are not shared
	arrived func(n int)  // during Poll
	polled  int          // index of the socket being read
	deliver func(netsys.Datagram)
	closed  bool
}

// socket is a descriptor, unknown to Go's network poller, and its collected datagrams.
type socket struct {
	fd  int
	out *mmsg.Writer
}

// Dial prepares to reach one server, given as "host:port"; a missing host is this machine. Looking the host up may block
// until ctx ends. Errors wrap [ErrAddress], say that there are more clients than sockets, or are the operating system's.
func (c Config) Dial(ctx context.Context, server string) (*Set, error) {
	remote, err := resolve(ctx, server)
	if err != nil {
		return nil, err
	}
	f := &Set{config: c, remote: remote, wires: make([]*wire, c.Clients), in: mmsg.NewReader()}
	f.deliver = f.dispatch
	if f.shared = remote.Addr().Is4() && remote.Addr().IsLoopback(); f.shared {
		return f, f.share()
	}
	if err := c.oneEach(remote); err != nil {
		return nil, err
	}
	f.sockets, f.single = make([]socket, c.Clients), mmsg.NewWriter(remote.Addr().Is6())
	for i := range f.sockets {
		f.sockets[i] = socket{-1, f.single}
	}
	return f, nil
}

const (
	// clientBuffer is the kernel buffer per client in bytes: room for a few updates of several datagrams. A datagram of
	// 1,200 bytes takes 2,304.
	clientBuffer = 8 << 10
	// mostBuffer is the largest buffer requested for one socket.
	mostBuffer = 64 << 20
	// pollBatches limits the datagrams per Poll of a shared socket to 8,192.
	pollBatches = 128
)

// share opens as many sockets as the clients' buffers require.
func (f *Set) share() (err error) {
	for room := 0; room < f.config.Clients*clientBuffer && len(f.sockets) < f.config.sockets(); {
		fd, got, err := bindAll(min(f.config.Clients*clientBuffer-room, mostBuffer))
		if err != nil {
			return errors.Join(fmt.Errorf("manysockets: socket %d: %w", len(f.sockets)+1, err), f.Close())
		}
		f.sockets = append(f.sockets, socket{fd, mmsg.NewWriter(false)})
		room += max(got, 1)
	}
	return nil
}

// bindAll opens a socket on all loopback addresses with the given buffer size, and returns the granted size.
func bindAll(buffer int) (fd, got int, err error) {
	fd, err = open(unix.AF_INET)
	if err != nil {
		return -1, 0, err
	}
	// This keeps other machines out. Old kernels require privileges; netcode rejects strangers in any case.
	_ = unix.SetsockoptString(fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, "lo")
	if err = mmsg.Locate(fd); err != nil {
		err = os.NewSyscallError("setsockopt IP_PKTINFO", err)
	} else if err = unix.Bind(fd, &unix.SockaddrInet4{}); err != nil {
		err = os.NewSyscallError("bind", err)
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, 0, err
	}
	mmsg.WriteBuffer(fd, buffer)
	return fd, mmsg.ReadBuffer(fd, buffer), nil
}

// open creates a non-blocking socket with time stamps.
func open(family int) (fd int, err error) {
	fd, err = unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
	switch {
	case errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE):
		return -1, fmt.Errorf("%w: this process may not open more: raise ulimit -n, or run fewer clients", os.NewSyscallError("socket", err))
	case err != nil:
		return -1, os.NewSyscallError("socket", err)
	}
	if err = mmsg.Stamp(fd); err != nil {
		_ = unix.Close(fd)
		return -1, os.NewSyscallError("setsockopt SO_TIMESTAMPNS", err)
	}
	return fd, nil
}

// connect opens a socket connected to the server.
func (f *Set) connect() (fd int, err error) {
	a := f.remote.Addr()
	var to unix.Sockaddr
	family := unix.AF_INET
	if a.Is4() {
		to = &unix.SockaddrInet4{Port: int(f.remote.Port()), Addr: a.As4()}
	} else {
		family = unix.AF_INET6
		to = &unix.SockaddrInet6{Port: int(f.remote.Port()), Addr: a.As16(), ZoneId: mmsg.ZoneID(a.Zone())}
	}
	if fd, err = open(family); err != nil {
		return -1, err
	}
	if err = unix.Connect(fd, to); err != nil {
		_ = unix.Close(fd)
		return -1, os.NewSyscallError("connect", err)
	}
	return fd, nil
}

// Wire returns the transport of client n, 0 to Config.Clients−1. If the client's previous transport was closed, it returns
// a new one with the same address. It panics for any other number and if the client's transport is open. The error is the
// operating system's. Poll of the transport delivers only while Poll of the set calls arrived(n).
func (f *Set) Wire(n int) (netsys.Wire, error) {
	if n < 0 || n >= len(f.wires) || f.wires[n] != nil && !f.wires[n].closed {
		panic(fmt.Sprintf("manysockets: Wire(%d): a set of %d clients has wires 0 to %d, each open once; close it before asking again", n, len(f.wires), len(f.wires)-1))
	}
	if f.closed {
		return nil, netsys.ErrClosed
	}
	w := &wire{set: f, number: n}
	if f.shared {
		w.socket = n % len(f.sockets)
		w.from = address(n)
	} else {
		fd, err := f.connect()
		if err != nil {
			return nil, fmt.Errorf("manysockets: client %d: %w", n, err)
		}
		w.socket, f.sockets[n].fd = n, fd
	}
	w.local = w.where()
	f.wires[n] = w
	return w, nil
}

// firstAddress is the address of client 0.
var firstAddress = [4]byte{127, 64, 0, 0}

// address returns the address of a client with a shared socket.
func address(n int) netip.Addr {
	a := firstAddress
	a[1], a[2], a[3] = a[1]+byte(n>>16), byte(n>>8), byte(n)
	return netip.AddrFrom4(a)
}

// client returns the client at an address, or −1.
func (f *Set) client(at netip.Addr) int {
	if !at.Is4() {
		return -1
	}
	a := at.As4()
	n := int(a[1]-firstAddress[1])<<16 | int(a[2])<<8 | int(a[3])
	if a[0] != firstAddress[0] || n >= len(f.wires) {
		return -1
	}
	return n
}

// RemoteAddr returns the server's address, for NewClient.
func (f *Set) RemoteAddr() netip.AddrPort { return f.remote }

// Poll receives for all clients. It calls arrived with the client's number once per datagram. Within that call, the
// client's transport must be polled, for example by [netsys.Client.Poll]; otherwise the datagram is lost. now must come
// from time.Now. Poll never blocks.
func (f *Set) Poll(now time.Time, arrived func(n int)) {
	f.arrived = arrived
	batches := pollBatches
	if !f.shared {
		batches = 1
	}
	for i := range f.sockets {
		if fd := f.sockets[i].fd; fd >= 0 {
			f.polled = i
			f.in.Forget()
			f.in.Read(fd, now, batches, f.deliver)
		}
	}
	f.arrived = nil
}

// dispatch passes a datagram to its client.
func (f *Set) dispatch(d netsys.Datagram) {
	n := f.polled
	if f.shared {
		if n = f.client(f.in.To()); n < 0 {
			return
		}
	}
	w := f.wires[n]
	if w == nil || w.closed || d.From != f.remote {
		return
	}
	w.waiting, w.waits = d, true
	f.arrived(n)
	w.waits = false
}

// Flush sends the collected datagrams. It never blocks.
func (f *Set) Flush(time.Time) {
	for i := range f.sockets {
		if s := &f.sockets[i]; s.fd >= 0 && f.shared {
			s.out.Flush(s.fd)
		}
	}
}

// Stats returns the current counters.
func (f *Set) Stats() Stats {
	st := Stats{Reads: f.in.Calls}
	add := func(w *mmsg.Writer) {
		st.Writes, st.Unsent = st.Writes+w.Calls, st.Unsent+w.Full+w.Refused
	}
	if f.single != nil {
		add(f.single)
	}
	for _, s := range f.sockets {
		if s.fd >= 0 {
			st.Sockets++
			st.Dropped += mmsg.Dropped(s.fd)
		}
		if f.shared {
			add(s.out)
		}
	}
	return st
}

// Close sends the collected datagrams and closes all transports. A second call has no effect.
func (f *Set) Close() error {
	if f.closed {
		return nil
	}
	f.Flush(time.Time{})
	f.closed = true
	var errs []error
	for i := range f.sockets {
		if s := &f.sockets[i]; s.fd >= 0 {
			errs = append(errs, unix.Close(s.fd))
			s.fd = -1
		}
	}
	return errors.Join(errs...)
}
