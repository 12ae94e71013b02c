package web

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

const (
	// maxSockets is the largest number of WebSockets of a [SocketProxy]: as many as an event loop has by default.
	maxSockets = 1024
	// socketsPerAddress is the largest number from one IPv4 address or one IPv6 /64 network that is not loopback.
	socketsPerAddress = 32
	// connectTimeout is how long the game may take to accept a connection and the request.
	connectTimeout = 5 * time.Second
)

// SocketProxy forwards the WebSockets of a page to the game's port, so that one port with TLS is enough for both. Set its fields
// before the first request. After that, any goroutine may use it.
//
// The game's listener sees all connections come from this machine. Therefore SocketProxy itself checks the page and the name, as
// eventloop.WebSocketConfig does, and limits the connections: 1,024 in total, 32 from one IPv4 address or one IPv6 /64 network.
type SocketProxy struct {
	// To is the address of the game's WebSockets, on loopback.
	To netip.AddrPort
	// Hosts are the names of this server, in addition to localhost and IP addresses.
	Hosts []string
	// Sandboxed also accepts the origin "null": see eventloop.WebSocketConfig.Sandboxed.
	Sandboxed bool
	// TrustedProxies are the addresses of proxies in front. Their X-Forwarded-For names the client.
	TrustedProxies []netip.Prefix

	mu   sync.Mutex
	all  int
	from map[netip.Addr]int
}

// forwarded are the headers of a WebSocket handshake that the game needs.
var forwarded = []string{"Connection", "Upgrade", "Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Protocol", "Sec-Websocket-Extensions"}

// ServeHTTP implements [http.Handler].
func (p *SocketProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "this is the address of the game's WebSockets", http.StatusUpgradeRequired)
		return
	}
	guard := hostname.Guard{Hosts: p.Hosts, Proxies: p.TrustedProxies}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && r.Header.Get("Origin") != "" {
		err = hostname.Pages{Guard: guard, Sandboxed: p.Sandboxed}.Check(r.Header.Get("Origin"), r.Host, remote.Addr())
	}
	client, unknown := guard.Client(r)
	if err != nil || unknown != nil {
		http.Error(w, "pages of other sites may not connect", http.StatusForbidden)
		return
	}
	client = hostname.Network(client)
	if !p.take(client) {
		http.Error(w, "there are too many connections", http.StatusServiceUnavailable)
		return
	}
	defer p.give(client)
	game, err := (&net.Dialer{Timeout: connectTimeout}).DialContext(r.Context(), "tcp", p.To.String())
	if err != nil {
		http.Error(w, "the game does not answer", http.StatusBadGateway)
		return
	}
	defer game.Close()
	out := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Host: p.To.String(), Header: http.Header{"User-Agent": nil}}
	for _, name := range forwarded {
		if v, ok := r.Header[name]; ok {
			out.Header[name] = v
		}
	}
	_ = game.SetWriteDeadline(time.Now().Add(connectTimeout))
	if err := out.Write(game); err != nil {
		http.Error(w, "the game does not answer", http.StatusBadGateway)
		return
	}
	_ = game.SetWriteDeadline(time.Time{})
	page, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "WebSockets need HTTP/1.1", http.StatusHTTPVersionNotSupported)
		return
	}
	defer page.Close()
	var upward sync.WaitGroup
	upward.Go(func() {
		_, _ = io.Copy(game, both.Reader) // it may have read bytes after the request
		_ = game.Close()
	})
	_, _ = io.Copy(page, game) // the answer of the game comes first
	_ = page.Close()
	upward.Wait()
}

// take counts a connection, and reports whether there may be one more.
func (p *SocketProxy) take(client netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= maxSockets || p.from[client] >= socketsPerAddress && !client.IsLoopback() {
		return false
	}
	if p.from == nil {
		p.from = make(map[netip.Addr]int)
	}
	p.all++
	p.from[client]++
	return true
}

// give ends the count of a connection.
func (p *SocketProxy) give(client netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.from[client]--; p.from[client] == 0 {
		delete(p.from, client)
	}
}
