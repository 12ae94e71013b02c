package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// gamePort listens like a game that accepts every handshake and returns what it reads. It sends each handshake to the channel.
func gamePort(t *testing.T) (netip.AddrPort, <-chan *http.Request) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	asked := make(chan *http.Request, 2000)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				asked <- r
				_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
				_, _ = io.Copy(c, in)
			}()
		}
	}()
	return netip.MustParseAddrPort(l.Addr().String()), asked
}

// upgrade opens a WebSocket at a proxy with more headers, and returns the status of the answer.
func upgrade(t *testing.T, at, host, headers string) (net.Conn, *bufio.Reader, int) {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(c, "GET /play HTTP/1.1\r\nHost: %s\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n%s\r\n", host, headers)
	in := bufio.NewReader(c)
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, in, answer.StatusCode
}

// The proxy forwards bytes in both directions, and only the headers of the handshake. When one side ends, so does the other.
func TestSocketProxy(t *testing.T) {
	to, asked := gamePort(t)
	s := httptest.NewServer(&SocketProxy{To: to, Hosts: []string{"play.example"}})
	defer s.Close()
	c, in, status := upgrade(t, s.Listener.Addr().String(), "play.example", "Origin: https://play.example\r\nCookie: secret\r\nX-Forwarded-For: 203.0.113.7\r\nSec-WebSocket-Key: abc\r\n")
	if status != http.StatusSwitchingProtocols {
		t.Fatalf("status %d", status)
	}
	r := <-asked
	if len(r.Header) != 4 || r.Header.Get("Sec-WebSocket-Key") != "abc" || r.URL.Path != "/" || r.Host != to.String() {
		t.Errorf("the game gets %s %s %v", r.Host, r.URL, r.Header)
	}
	for _, text := range []string{"hello\n", "again\n"} {
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		if got, err := in.ReadString('\n'); got != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	_ = c.(*net.TCPConn).CloseWrite()
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection goes on without its client")
	}
}

// Pages of other sites, other requests and too many connections of one network are refused. A proxy in front names the client.
func TestSocketProxyRefuses(t *testing.T) {
	to, _ := gamePort(t)
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s := httptest.NewServer(&SocketProxy{To: to, Hosts: []string{"play.example"}, TrustedProxies: loopback})
	defer s.Close()
	at := s.Listener.Addr().String()
	for _, c := range []struct {
		host, headers string
		want          int
	}{
		{"play.example", "", 101}, // no browser
		{"play.example", "Origin: https://play.example\r\n", 101},
		{"play.example", "Origin: https://evil.example\r\n", 403},
		{"evil.example", "Origin: https://evil.example\r\n", 403},
		{"play.example", "Origin: null\r\n", 403},
	} {
		if conn, _, got := upgrade(t, at, c.host, c.headers); got != c.want || conn.Close() != nil {
			t.Errorf("%s, %q: %d", c.host, c.headers, got)
		}
	}
	for n := range socketsPerAddress + 1 {
		want := map[bool]int{true: 101, false: 503}[n < socketsPerAddress]
		if _, _, got := upgrade(t, at, "play.example", fmt.Sprintf("X-Forwarded-For: 2001:db8::%d\r\n", n)); got != want {
			t.Fatalf("connection %d of a network: %d", n, got)
		}
	}
	if _, _, got := upgrade(t, at, "play.example", "X-Forwarded-For: 2001:db8:1::1\r\n"); got != 101 {
		t.Errorf("another network: %d", got)
	}
	r, err := http.Get(s.URL + "/play")
	if err != nil || r.Body.Close() != nil || r.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("GET: %v %v", r, err)
	}
	nobody := httptest.NewServer(&SocketProxy{To: netip.MustParseAddrPort("127.0.0.1:1")})
	defer nobody.Close()
	if _, _, got := upgrade(t, nobody.Listener.Addr().String(), "127.0.0.1", ""); got != http.StatusBadGateway {
		t.Errorf("no game: %d", got)
	}
}

// A path as the address of the WebSockets is one on the page's own host, by TLS if the page is.
func TestSocketPath(t *testing.T) {
	d := &Dist{WebSocket: "/play", Hosts: []string{"play.example"}, Files: fstest.MapFS{"index.html": {}}}
	for _, c := range []struct{ url, want string }{
		{"http://play.example/connect.json", "ws://play.example/play"},
		{"https://play.example/connect.json", "wss://play.example/play"},
		{"https://play.example:8443/connect.json", "wss://play.example:8443/play"},
		{"http://203.0.113.7/connect.json", "ws://203.0.113.7/play"},
	} {
		r, w := httptest.NewRequest("GET", c.url, nil), httptest.NewRecorder()
		d.ServeHTTP(w, r)
		origin := strings.TrimSuffix(c.want, "/play")
		if got := w.Body.String(); got != `{"websocket":"`+c.want+"\"}\n" || !strings.Contains(w.Header().Get("Content-Security-Policy"), " "+origin+";") {
			t.Errorf("%s: %s %v", c.url, got, w.Header())
		}
	}
}

// The flags of a domain need rooms, and a path needs a proxy. Behind a proxy, the page names the addresses of the domain.
func TestDomainFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-domain play.example":                               "-domain: set -rooms, too",
		"-saves /tmp/x":                                      "-saves: set -rooms, too",
		"-rooms -https :8443":                                "allowed with -domain only",
		"-rooms -domain play.example/x":                      "a path is allowed with -proxy only",
		"-rooms -domain localhost":                           "not a host name of the internet",
		"-rooms -domain a.example,b.example -proxy 10.0.0.1": "allowed with one -domain only",
		"-rooms -domain play.example -proxy x":               "unable to parse IP",
		"-rooms -domain play.example -http 127.0.0.1:0 -https 127.0.0.1:0 -acme http://ca.example": "write an https URL",
	} {
		out := start(t, roomy(), args)
		out.Find(t, "(?s)("+want+")")
	}
	out := start(t, roomy(), "-rooms -json -domain play.example/games/plaza -proxy 127.0.0.1 -http 127.0.0.1:0")
	out.Find(t, `("http":"https://play\.example/games/plaza","rooms":"https://play\.example/games/plaza/rooms",.*"ws":"wss://play\.example/games/plaza/play")`)
}

// roomy returns a world with rooms and a page.
func roomy() (world runner.Game) {
	world = plaza()
	world.Rooms = &runner.Rooms{Seats: 4}
	Beside(&world, eventloop.ListenBoth, Config{Dist: &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("lobby")}}}})
	return world
}
