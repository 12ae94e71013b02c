package streams

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// failing is a listener whose Accept returns errors, then a connection.
type failing struct {
	net.Listener
	errs []error
}

func (f *failing) Accept() (net.Conn, error) {
	if len(f.errs) == 0 {
		return &net.TCPConn{}, nil
	}
	err := f.errs[0]
	f.errs = f.errs[1:]
	return nil, err
}

// accept returns the error of accept(2) as package net does.
func accept(errno syscall.Errno) error {
	return &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", errno)}
}

// The listener outlives what accept(2) says to retry, and shortages.
func TestAcceptRetries(t *testing.T) {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EINTR, syscall.EAGAIN,
		syscall.EPERM, syscall.EPROTO, syscall.ENOPROTOOPT, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.EHOSTUNREACH, syscall.EOPNOTSUPP,
	} {
		synctest.Test(t, func(t *testing.T) {
			l, failures, start := &failing{}, 0, time.Now()
			for range 20 {
				l.errs = append(l.errs, accept(errno))
			}
			c, err := Accept(l, func(error) { failures++ })
			if c == nil || err != nil || failures != 20 {
				t.Fatalf("%v: connection %v, error %v, after %d failures", errno, c, err, failures)
			}
			if took := time.Since(start); took < time.Second || took > 20*maxAcceptWait {
				t.Errorf("%v: 20 attempts took %v", errno, took)
			}
		})
	}
}

func TestAcceptEnds(t *testing.T) {
	for _, want := range []error{net.ErrClosed, accept(syscall.EBADF), accept(syscall.EINVAL), accept(syscall.ENOTSOCK)} {
		if _, err := Accept(&failing{errs: []error{want}}, func(error) { t.Errorf("%v is retried", want) }); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}
