//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// breaker forwards TCP connections until it breaks them.
type breaker struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func newBreaker(t *testing.T, to string) *breaker {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	b := &breaker{Listener: ln}
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			b.mu.Lock()
			b.conns = append(b.conns, in, out)
			b.mu.Unlock()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
		}
	}()
	return b
}

func (b *breaker) breakAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
	b.conns = nil
}

// When a connection breaks and the client's wire redials, the session continues at both ends, from another address, with the
// messages that were under way.
func TestSessionSurvivesABrokenConnection(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	path := newBreaker(t, l.WebSocketAddr().String())
	wire, err := websocket.DialConfig{Redial: time.Millisecond}.Dial(t.Context(), "ws://"+path.Addr().String())
	must(t, err)
	server, err := netsys.NewServer(l, netsys.ServerConfig{})
	must(t, err)
	client, err := netsys.NewClient(wire, wire.RemoteAddr(), netsys.ClientConfig{})
	must(t, err)
	t.Cleanup(func() { _, _ = client.Close(time.Now()), server.Close(time.Now()) })
	var up, down netsystest.Recorder
	until := func(what string, condition func() bool) {
		t.Helper()
		for range 20_000 {
			now := time.Now()
			client.Poll(now, &down)
			server.Poll(now, &up)
			if condition() {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("never happened: %s; %v; %v; %+v; %+v", what, up.Reasons, down.Reasons, l.WebSocketStats(), wire.Stats())
	}
	until("connected", func() bool { return len(up.Sessions) == 1 && len(down.Sessions) == 1 })
	for round := range 3 {
		moves, at := up.Sessions[0].Stats().Moves, up.Sessions[0].RemoteAddr()
		path.breakAll()
		until("the server has followed", func() bool {
			_, _ = client.Session().Send(time.Now(), []byte("input"))
			return up.Sessions[0].Stats().Moves > moves
		})
		if up.Sessions[0].RemoteAddr() == at {
			t.Errorf("still at %v", at)
		}
		want := fmt.Sprint("snapshot ", round)
		until("news from the server", func() bool {
			_, _ = up.Sessions[0].Send(time.Now(), []byte(want))
			all := down.Payloads[client.Session().ID()]
			return len(all) > 0 && all[len(all)-1] == want
		})
	}
	until("the broken connections are gone", func() bool { return l.WebSocketStats().Connections == 1 })
	if len(up.Sessions)+len(down.Sessions) != 2 || len(up.Reasons)+len(down.Reasons) != 0 {
		t.Errorf("%d sessions, %d ends", len(up.Sessions)+len(down.Sessions), len(up.Reasons)+len(down.Reasons))
	}
	if s := l.WebSocketStats(); s.Strangers+s.Unanswered+s.Violations != 0 {
		t.Errorf("%+v", s)
	}
}
