//go:build !js

package websocket

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/outqueue"
)

// refusing is a network on which nobody answers, or a busy server. It records the attempts.
type refusing struct {
	at    []time.Time
	most  int
	stop  func()
	after string // Retry-After of the busy server; "": nobody answers
}

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	if r.at = append(r.at, time.Now()); len(r.at) == r.most {
		r.stop()
	}
	if r.after != "" {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {r.after}}, Body: http.NoBody}, nil
	}
	return nil, errors.New("nobody is there")
}

// A busy server is given the time that it asks for, within bounds, and then some.
func TestPausesForABusyServer(t *testing.T) {
	for after, want := range map[string]time.Duration{"3": 3 * time.Second, "20": 20 * time.Second, "65000": maxBusy} {
		synctest.Test(t, func(t *testing.T) {
			enough := make(chan struct{})
			network := &refusing{most: 20, stop: func() { close(enough) }, after: after}
			defer func(was http.RoundTripper) { http.DefaultTransport = was }(http.DefaultTransport)
			http.DefaultTransport = network
			w, err := DialConfig{Redial: 100 * time.Millisecond}.Begin("ws://127.0.0.1:1/play")
			if err != nil {
				t.Fatal(err)
			}
			<-enough
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			pauses := map[time.Duration]bool{}
			for i := 1; i < len(network.at); i++ {
				pause := network.at[i].Sub(network.at[i-1])
				if pauses[pause] = true; pause < want || pause > max(want*3/2, 5*time.Second) {
					t.Errorf("%s: pause %d is %v, want %v to half more", after, i, pause, want)
				}
			}
			if len(pauses) < 10 {
				t.Errorf("%s: %d pauses are %d different ones", after, len(network.at)-1, len(pauses))
			}
		})
	}
}

// The pause between attempts doubles up to 5 s, or stays at a longer first pause. Half of it is random.
func TestPausesBetweenAttempts(t *testing.T) {
	for _, first := range []time.Duration{100 * time.Millisecond, 2 * time.Second, 8 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := &Wire{connect: func(ctx context.Context) (Link, error) { return Connect(ctx, "ws://127.0.0.1:1/play") }, redial: first}
			w.life, w.kill = context.WithCancel(t.Context())
			network := &refusing{most: 40, stop: w.kill}
			defer func(was http.RoundTripper) { http.DefaultTransport = was }(http.DefaultTransport)
			http.DefaultTransport = network
			before := time.Now()
			if _, ok := w.again(); ok {
				t.Fatal("connected")
			}
			wait, early, late := first, 0, 0
			for i, at := range network.at {
				pause := at.Sub(before)
				before = at
				if pause < wait/2 || pause > wait {
					t.Errorf("first %v: attempt %d after %v, want %v to %v", first, i+1, pause, wait/2, wait)
				}
				if pause < wait*3/4 {
					early++
				} else {
					late++
				}
				wait = min(2*wait, max(first, 5*time.Second))
			}
			if len(network.at) != 40 || early == 0 || late == 0 {
				t.Errorf("first %v: %d attempts, %d of them early and %d late", first, len(network.at), early, late)
			}
		})
	}
}

// fleeting is a connection that delivers one datagram and breaks.
type fleeting struct {
	Link
	datagram []byte
}

func (f *fleeting) Read(b []byte) (int, error) {
	if f.datagram == nil {
		return 0, errors.New("the server has gone")
	}
	n := copy(b, f.datagram)
	f.datagram = nil
	return n, nil
}
func (f *fleeting) Write([]byte) error { return nil }
func (f *fleeting) Buffered() int      { return 0 }
func (f *fleeting) Close()             {}
func (f *fleeting) Abort()             {}

// If a server accepts connections and drops them, the client pauses longer before each attempt. Only a session resets the pause.
func TestOnlyASessionShortensPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const challenge, keepAlive, payload = 0x12, 0x14, 0x15
		var at []time.Time
		connections := []byte{0, 0, challenge, 0, 0, 0, payload, 0, keepAlive, challenge}
		want := []time.Duration{250, 500, 1000, 2000, 4000, 5000, 250, 500, 250}
		w, err := DialConfig{Redial: 250 * time.Millisecond, Connect: func(ctx context.Context, _ string) (Link, error) {
			if len(at) == len(connections) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			at = append(at, time.Now())
			f := &fleeting{}
			if first := connections[len(at)-1]; first != 0 {
				f.datagram = []byte{first, 1, 2}
			}
			return f, nil
		}}.Begin("ws://127.0.0.1:1/play")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if len(at) != len(connections) {
			t.Fatalf("%d connections, want %d", len(at), len(connections))
		}
		for i, most := range want {
			if pause := at[i+1].Sub(at[i]); pause < most*time.Millisecond/2 || pause > most*time.Millisecond {
				t.Errorf("pause %d is %v, want %v to %v", i, pause, most*time.Millisecond/2, most*time.Millisecond)
			}
		}
	})
}

// A wire may be closed while it opens its first connection, however long that takes to notice.
func TestCloseBeforeTheFirstConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := DialConfig{Connect: func(ctx context.Context, _ string) (Link, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // such as a dial that does not notice at once
			return nil, ctx.Err()
		}}.Begin("ws://127.0.0.1:1/play")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

// busy is a connection of which only how much the browser holds is asked.
type busy struct {
	Link
	held func() int
}

func (b busy) Buffered() int { return b.held() }

// The wire gives a browser nothing while it holds more than about ten datagrams. If the connection ends then, they are lost.
// If the wire is closed, the rest is sent.
func TestNothingIsGivenToABusyBrowser(t *testing.T) {
	for name, test := range map[string]struct {
		held   []int // each time that it is asked, then the last one for ever
		closed bool
		asked  int // at least
		want   error
	}{
		"busy until the connection ends": {[]int{8<<10 + 1}, false, 50, outqueue.ErrAbandoned},
		"busy for a while":               {[]int{20 << 10, 9 << 10, 8<<10 + 1, 8 << 10}, false, 4, outqueue.ErrClosed},
		"not busy":                       {[]int{8 << 10}, false, 1, outqueue.ErrClosed},
		"closed":                         {[]int{20 << 10}, true, 1, outqueue.ErrClosed},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &Wire{out: outqueue.New(4)}
			w.life, w.kill = context.WithCancel(t.Context())
			defer w.kill()
			if test.closed {
				w.kill()
			}
			ended := make(chan struct{})
			asked := 0
			conn := busy{held: func() int {
				if asked++; asked == 50 {
					close(ended)
				}
				return test.held[min(asked, len(test.held))-1]
			}}
			if test.want == outqueue.ErrAbandoned {
				w.out.Put([]byte("waits")) // writing it would need a connection
			} else {
				w.out.Close()
			}
			want := test.want
			if want == outqueue.ErrClosed {
				want = nil
			}
			if err := w.writes(conn, ended); !errors.Is(err, want) || asked < test.asked || asked > test.asked+1 {
				t.Errorf("%s: %v after it was asked %d times", name, err, asked)
			}
		})
	}
}

// A port that is none is that of the scheme.
func TestPortsOfURLs(t *testing.T) {
	for url, want := range map[string]string{
		"ws://127.0.0.1:0":     "127.0.0.1:80",
		"wss://127.0.0.1:0":    "127.0.0.1:443",
		"ws://127.0.0.1:70000": "127.0.0.1:80",
		"ws://127.0.0.1:65535": "127.0.0.1:65535",
	} {
		if got := ServerOf(url); got.String() != want {
			t.Errorf("%q: %v, want %v", url, got, want)
		}
	}
}
