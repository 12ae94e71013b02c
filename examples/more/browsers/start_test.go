package browsers

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/internal/tools/newgame"
)

// TestStart prints the seconds from opening a link to the first moving frame and to the first own input that the server has
// confirmed: on a line of 10 Mbit/s with a round trip of 40 ms, with a processor that is slowed four times, for the first visit
// and for the second: two worlds, and with TACTUS_NEWGAME=1 the game that `go run ./examples/new -ts` makes. With START=1 it does; it
// needs a machine alone.
func TestStart(t *testing.T) {
	if os.Getenv("START") == "" {
		t.Skip("START=1 measures how long pages take to start, for a minute")
	}
	const watch = `(() => {
		const saw = (globalThis.saw = {}), request = requestAnimationFrame;
		request(function look() {
			const now = performance.now(), g = globalThis.game;
			if (!saw.joined && (document.getElementById("game") ? g?.stats?.Joined === 1 : document.body?.classList.contains("playing"))) saw.joined = now;
			else if (saw.joined && !saw.frame) saw.frame = now;
			if (saw.frame && !saw.input && g?.stats?.Confirmed > 0) saw.input = now;
			request(look);
		});
	})()`
	started := map[string]func(t *testing.T) (url string){"starter": startStarter}
	for _, world := range pages.Worlds() {
		if world.Name == "arena" || world.Name == "platformer" {
			started[world.Name] = func(t *testing.T) string { return serve(t, world) }
		}
	}
	for name, start := range started {
		t.Run(name, func(t *testing.T) {
			b := browse(t, 1280, 720, 1, false) // which ends before the next world starts
			u, err := url.Parse(start(b.T))
			if err != nil {
				b.Fatal(err)
			}
			line := &line{rate: 10e6 / 8}
			slow := line.before(b.T, u)
			b.do(chromedp.Navigate("about:blank"))
			if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
				b.Fatal(err)
			}
			if _, err := chromedp.Call(b.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4}); err != nil {
				b.Fatal(err)
			}
			for _, visit := range []string{"first", "second", "third"} {
				before := line.carried()
				b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(slow+"/?name=Ada"))
				until(b.T, "an input is confirmed", func() bool { return ask[float64](b, "globalThis.saw?.input ?? 0") > 0 })
				b.Logf("%s visit: first frame after %.1f s, first input after %.1f s, %d kB", visit,
					ask[float64](b, "saw.frame")/1000, ask[float64](b, "saw.input")/1000, (line.carried()-before)/1000)
			}
		})
	}
}

// startStarter makes a game, builds its page, and starts its server.
func startStarter(t *testing.T) (url string) {
	_, log := startBuilt(newgame.Make(t, root(t), "-ts"))
	return strings.TrimSuffix(log.Find(t, `"msg":"page","url":"([^"]+)"`), "/")
}

// line is a slow line in front of a server.
type line struct {
	rate float64 // bytes a second

	mu    sync.Mutex
	free  time.Time // when it has carried everything so far
	total int
}

// before returns the URL of a server behind the line.
func (l *line) before(t *testing.T, server *url.URL) string {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(server)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(40 * time.Millisecond)
		proxy.ServeHTTP(w, r)
	})}
	go func() { _ = s.Serve(&slowListener{at, l}) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + at.Addr().String()
}

// carry waits until the line has carried n more bytes.
func (l *line) carry(n int) {
	l.mu.Lock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
	l.total += n
	wait := time.Until(l.free)
	l.mu.Unlock()
	time.Sleep(wait)
}

// carried returns the number of bytes so far.
func (l *line) carried() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// slowListener accepts connections over the line.
type slowListener struct {
	net.Listener
	line *line
}

func (s *slowListener) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return slowConn{c, s.line}, nil
}

type slowConn struct {
	net.Conn
	line *line
}

func (c slowConn) Write(b []byte) (n int, err error) {
	const part = 16 << 10
	for len(b) > 0 && err == nil {
		var k int
		k, err = c.Conn.Write(b[:min(part, len(b))])
		c.line.carry(k)
		n, b = n+k, b[k:]
	}
	return n, err
}
