package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The two ends of the link, in isolated network namespaces.
const (
	serverIP = "10.77.0.1"
	clientIP = "10.77.0.2"
)

// end is a process in its own network namespace, and its TUN device.
type end struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	device *os.File
}

// start starts an end of the link.
func start(args ...string) (*end, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	e := &end{cmd: exec.Command("/proc/self/exe", args...)}
	e.cmd.Stderr, e.cmd.ExtraFiles = os.Stderr, []*os.File{theirs}
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		e.cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		e.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		e.cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if e.out, err = e.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	err = e.cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return nil, fmt.Errorf("starting a process in a network namespace: %w: run as root, or enable user namespaces", err)
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(ours.Fd()), make([]byte, 1), oob, 0)
	if err != nil || n == 0 {
		_ = e.cmd.Wait()
		return nil, fmt.Errorf("%s has opened no TUN device: check /dev/net/tun", args[0])
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		return nil, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, err
	}
	e.device = os.NewFile(uintptr(fds[0]), "tun")
	return e, nil
}

// stop stops the process.
func (e *end) stop() error {
	_ = e.in.Close()
	err := e.cmd.Wait()
	_ = e.device.Close()
	return err
}

// device configures the network of an end and passes its TUN device to the parent.
func device(address string) error {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("/dev/net/tun: %w", err)
	}
	defer unix.Close(fd)
	tun, err := unix.NewIfreq("game")
	if err != nil {
		return err
	}
	tun.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, tun); err != nil {
		return fmt.Errorf("creating a TUN device: %w", err)
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	for _, step := range []struct {
		call uint
		set  func(r *unix.Ifreq) error
	}{
		{unix.SIOCSIFADDR, func(r *unix.Ifreq) error { return r.SetInet4Addr(net.ParseIP(address).To4()) }},
		{unix.SIOCSIFNETMASK, func(r *unix.Ifreq) error { return r.SetInet4Addr([]byte{255, 255, 255, 0}) }},
		{unix.SIOCSIFFLAGS, func(r *unix.Ifreq) error { r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING); return nil }},
	} {
		r, err := unix.NewIfreq("game")
		if err == nil {
			err = step.set(r)
		}
		if err == nil {
			err = unix.IoctlIfreq(s, step.call, r)
		}
		if err != nil {
			return fmt.Errorf("setting the address of the TUN device: %w", err)
		}
	}
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, loopback); err != nil {
		return fmt.Errorf("starting the loopback device: %w", err)
	}
	return unix.Sendmsg(3, []byte{0}, unix.UnixRights(fd), nil, 0)
}

// road is one direction of the link.
type road struct {
	from, to     *os.File
	delay        time.Duration
	loss         float64
	rng          *rand.Rand
	mu           sync.Mutex
	passed, lost int
}

// packet is a packet in transit.
type packet struct {
	due  time.Time
	data []byte
}

// run forwards packets until a device is closed.
func (r *road) run() {
	waiting := make(chan packet, 4096)
	go func() {
		defer close(waiting)
		for {
			b := make([]byte, 2048)
			n, err := r.from.Read(b)
			if err != nil {
				return
			}
			r.mu.Lock()
			r.passed++
			lost := r.rng.Float64()*100 < r.loss
			if lost {
				r.lost++
			}
			r.mu.Unlock()
			if lost {
				continue
			}
			select {
			case waiting <- packet{time.Now().Add(r.delay), b[:n]}:
			default: // drop the packet, as a router with a full queue does
			}
		}
	}()
	for p := range waiting {
		time.Sleep(time.Until(p.due))
		_, _ = r.to.Write(p.data)
	}
}

// figures returns the numbers of forwarded and lost packets.
func (r *road) figures() (passed, lost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passed, r.lost
}
