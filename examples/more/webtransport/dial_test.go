package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/webtransport"
)

// answer answers in capitals, until the end of the test.
func answer(t *testing.T, w netsys.Wire) {
	var wg sync.WaitGroup
	done := make(chan struct{})
	t.Cleanup(func() { close(done); wg.Wait(); _ = w.Close() })
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case now := <-time.After(5 * time.Millisecond):
				w.Poll(now, func(d netsys.Datagram) { _ = w.Send(now, d.From, bytes.ToUpper(d.Data)) })
				if f, ok := w.(netsys.Flusher); ok {
					f.Flush(now)
				}
			}
		}
	})
}

// A page in Go connects like one in JavaScript: over WebTransport, and over WebSocket if that is blocked. Its module does not
// contain QUIC.
func TestDialInPages(t *testing.T) {
	browser := browse(t, "")
	folder := t.TempDir()
	js := append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	list := exec.Command("go", "list", "-deps", "./testdata/dial")
	list.Env = js
	if out, err := list.Output(); err != nil || bytes.Contains(out, []byte("quic-go")) {
		t.Errorf("%v: a page links\n%s", err, out)
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(folder, "dial.wasm"), "./testdata/dial")
	build.Env = js
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{"dial.html": "testdata/dial.html", "wasm_exec.js": filepath.Join(strings.TrimSpace(string(goroot)), "lib/wasm/wasm_exec.js")} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, to), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	on := listen(t)
	serve(t, on, http.FileServer(http.Dir(folder)))
	l, err := webtransport.Listen(webtransport.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	answer(t, l)
	sockets, err := eventloop.ListenWebSocket("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sockets.Close() })
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	hash := l.CertificateHashes()[0]
	for _, x := range []struct {
		name, want    string
		at            net.Addr
		first, second uint64 // sessions by WebTransport and by WebSocket, after it
	}{
		{"WebTransport passes", "heard HELLO", net.UDPAddrFromAddrPort(l.LocalAddr()), 1, 0},
		{"UDP is blocked", "connected", silent.LocalAddr(), 1, 1}, // the event loop hears none but who brings a token
	} {
		t.Run(x.name, func(t *testing.T) {
			q := url.Values{"webtransport": {fmt.Sprintf("https://%v/", x.at)}, "websocket": {fmt.Sprintf("ws://%v", sockets.LocalAddr())}, "hash": {base64.StdEncoding.EncodeToString(hash[:])}}
			b := open(t, browser, "http://"+on.Addr().String()+"/dial.html?"+q.Encode())
			until(t, "it says how it went", func() bool { return b.status() == x.want || strings.HasPrefix(b.status(), "refused") })
			if got := b.status(); got != x.want {
				t.Error(got)
			}
			if a, s := l.Stats().Accepted, sockets.WebSocketStats().Accepted; a != x.first || s != x.second {
				t.Errorf("%d by WebTransport and %d by WebSocket, want %d and %d", a, s, x.first, x.second)
			}
			until(t, "it has left", func() bool { return l.Stats().Sessions == 0 })
		})
	}
}
