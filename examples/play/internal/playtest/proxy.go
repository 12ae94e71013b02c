//go:build !js

package playtest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy forwards TCP connections until they are cut.
type Proxy struct {
	net.Listener
	to string

	mu     sync.Mutex
	conns  []net.Conn
	passed int // number of connections
	refuse bool
}

func newProxy(t *testing.T, to string) *Proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Listener: ln, to: to}
	t.Cleanup(func() { _ = ln.Close(); p.Cut() })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := p.dial()
			if err != nil {
				_ = in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.passed++
			p.mu.Unlock()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	return p
}

var errRefused = errors.New("refused")

// dial connects to the server.
func (p *Proxy) dial() (net.Conn, error) {
	p.mu.Lock()
	refuse := p.refuse
	p.mu.Unlock()
	if refuse {
		return nil, errRefused
	}
	return net.Dial("tcp", p.to)
}

// Refuse has the proxy refuse further connections, or take them again.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = refuse
}

// Cut breaks all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// Connections returns the number of connections.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

func (p *Proxy) port() uint16 { return uint16(p.Addr().(*net.TCPAddr).Port) }
