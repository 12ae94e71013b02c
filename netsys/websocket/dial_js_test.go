package websocket_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// class is a WebSocket without a server: it keeps the sent data, and tests make its events.
const class = `globalThis.sockets = [];
globalThis.WebSocket = class {
	constructor(url) {
		if (url.startsWith("bad")) throw new SyntaxError("no such URL");
		Object.assign(this, { url, sent: [], bufferedAmount: 0, closed: 0 });
		sockets.push(this);
		if (url.includes("refused")) setTimeout(() => this.onclose({ code: 1006, reason: "" }), 0);
		else if (!url.includes("silent")) setTimeout(() => this.onopen && this.onopen({}), 0);
	}
	send(b) { this.sent.push(new Uint8Array(b).slice()); }
	close() { this.closed++; }
	tell(n, length, first) {
		for (let i = 0; i < n && this.onmessage; i++) this.onmessage({ data: new Uint8Array(length).fill(first + i).buffer });
	}
	say(text) { this.onmessage({ data: text }); }
};`

// browser puts the class in its place.
func browser(t *testing.T) {
	t.Helper()
	js.Global().Call("eval", class)
	t.Cleanup(func() { js.Global().Delete("WebSocket") })
}

// socketOf returns the n-th socket.
func socketOf(n int) js.Value { return js.Global().Get("sockets").Index(n) }

func open(t *testing.T, c websocket.DialConfig) *websocket.Wire {
	t.Helper()
	w, err := c.Dial(t.Context(), "ws://127.0.0.1:7778/play")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for range 5000 {
		if condition() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

func TestBrowserDatagramsGoBothWays(t *testing.T) {
	browser(t)
	w := open(t, websocket.DialConfig{})
	s := socketOf(0)
	if got := w.RemoteAddr().String(); got != "127.0.0.1:7778" || s.Get("binaryType").String() != "arraybuffer" {
		t.Errorf("server %s, binary type %v", got, s.Get("binaryType"))
	}
	sizes := []int{0, 1, 125, 1200, netsys.MaxDatagram}
	for i, n := range sizes {
		if err := w.Send(time.Now(), w.RemoteAddr(), []byte(strings.Repeat(string(rune('a'+i)), n))); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all were sent", func() bool { return s.Get("sent").Length() == len(sizes) })
	for i, n := range sizes {
		sent := s.Get("sent").Index(i)
		if sent.Length() != n || n > 0 && sent.Index(n-1).Int() != 'a'+i {
			t.Errorf("datagram %d has %d bytes, want %d", i, sent.Length(), n)
		}
	}
	s.Call("tell", 3, netsys.MaxDatagram, 7)
	var got []byte
	until(t, "three came", func() bool {
		w.Poll(time.Now(), func(d netsys.Datagram) {
			if len(d.Data) != netsys.MaxDatagram || d.From != w.RemoteAddr() {
				t.Errorf("%d bytes from %v", len(d.Data), d.From)
			}
			got = append(got, d.Data[len(d.Data)-1])
		})
		return len(got) == 3
	})
	if string(got) != "\a\b\t" {
		t.Errorf("came %v", got)
	}
	if err := w.Close(); err != nil || s.Get("closed").Int() != 0 && !s.Get("onmessage").IsNull() {
		t.Errorf("Close %v", err)
	}
	until(t, "it is closed", func() bool { return s.Get("closed").Int() == 1 && s.Get("onmessage").IsNull() })
}

// Invalid messages, and the browser's close events, end the connection with a reason. No callbacks run afterwards.
func TestBrowserEnds(t *testing.T) {
	for want, end := range map[string]func(s js.Value){
		"text":       func(s js.Value) { s.Call("say", "hello") },
		"1501 bytes": func(s js.Value) { s.Call("tell", 1, netsys.MaxDatagram+1, 0) },
		"1001 going": func(s js.Value) { s.Call("onclose", map[string]any{"code": 1001, "reason": "going"}) },
	} {
		t.Run(want, func(t *testing.T) {
			browser(t)
			w := open(t, websocket.DialConfig{})
			s := socketOf(0)
			end(s)
			until(t, "the end is known", func() bool { return w.Err() != nil })
			if !strings.Contains(w.Err().Error(), want) || s.Get("closed").Int() != 1 || !s.Get("onmessage").IsNull() {
				t.Errorf("%v; closed %v", w.Err(), s.Get("closed"))
			}
			if err := w.Send(time.Now(), w.RemoteAddr(), []byte("late")); err != nil || w.Stats().Stale != 1 {
				t.Errorf("Send: %v, %+v", err, w.Stats())
			}
			w.Poll(time.Now(), func(d netsys.Datagram) { t.Errorf("delivered %d bytes", len(d.Data)) })
		})
	}
}

func TestBrowserDialErrors(t *testing.T) {
	browser(t)
	for url, want := range map[string]string{"bad:": "no such URL", "ws://refused/": "1006"} {
		if _, err := websocket.Dial(t.Context(), url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	n := js.Global().Get("sockets").Length()
	if _, err := websocket.Dial(ctx, "ws://silent/"); !errors.Is(err, context.DeadlineExceeded) || socketOf(n).Get("closed").Int() != 1 {
		t.Errorf("who does not answer: %v, closed %v", err, socketOf(n).Get("closed"))
	}
	js.Global().Delete("WebSocket")
	if _, err := websocket.Dial(t.Context(), "ws://127.0.0.1:1/"); err == nil || !strings.Contains(err.Error(), "globalThis.WebSocket") {
		t.Errorf("without the class: %v", err)
	}
}

// A browser accepts any amount of data. So the wire gives it nothing while it holds too much, and drops the oldest datagrams.
func TestBrowserThatHoldsTooMuch(t *testing.T) {
	browser(t)
	w := open(t, websocket.DialConfig{Outbound: 4})
	s := socketOf(0)
	s.Set("bufferedAmount", 1<<20)
	time.Sleep(20 * time.Millisecond) // the writer may have looked before
	for i := range 100 {
		if err := w.Send(time.Now(), w.RemoteAddr(), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Microsecond)
	}
	time.Sleep(20 * time.Millisecond)
	held := s.Get("sent").Length()
	if stale := w.Stats().Stale; held > 1 || stale < 90 {
		t.Errorf("%d were given to a browser that holds a megabyte, %d dropped", held, stale)
	}
	s.Set("bufferedAmount", 0)
	until(t, "the newest are sent", func() bool { return s.Get("sent").Length() == held+4 })
	if last := s.Get("sent").Index(held + 3); last.Length() != 2 || last.Index(0).Int() != '9' || last.Index(1).Int() != '9' {
		t.Errorf("the newest is not the last")
	}
}

// The number of datagrams that wait for a Poll is bounded: the oldest are kept, and the dropped ones are counted.
func TestBrowserThatBringsTooMuch(t *testing.T) {
	browser(t)
	w := open(t, websocket.DialConfig{Inbound: 100})
	socketOf(0).Call("tell", 5000, 1, 0)
	until(t, "all were looked at", func() bool { return w.Stats().Dropped == 4900 })
	n := 0
	w.Poll(time.Now(), func(d netsys.Datagram) {
		if d.Data[0] != byte(n) {
			t.Fatalf("%d is %d", n, d.Data[0])
		}
		n++
	})
	if n != 100 {
		t.Errorf("%d of 5000 are kept", n)
	}
}

// A wire that redials continues with another socket.
func TestBrowserRedials(t *testing.T) {
	browser(t)
	w := open(t, websocket.DialConfig{Redial: time.Millisecond})
	socketOf(0).Call("onclose", map[string]any{"code": 1006, "reason": ""})
	until(t, "it is back", func() bool { return w.Stats().Redials == 1 && w.Err() == nil })
	if err := w.Send(time.Now(), w.RemoteAddr(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	until(t, "it goes on", func() bool { return socketOf(1).Get("sent").Length() == 1 })
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
