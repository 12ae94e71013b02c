//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys/eventloop"
)

// A web site can make its host name resolve to this server. For the browser its page and this server then have one origin.
// With nil Origins, the requested name must be one that nobody else can redirect, or a configured one, or that of a trusted
// proxy's request.
func TestForeignNameThatLeadsHere(t *testing.T) {
	proxied := eventloop.WebSocketConfig{ClientAddrHeader: "X-Forwarded-For", TrustedProxies: prefixes("127.0.0.0/8")}
	named := eventloop.WebSocketConfig{Hosts: []string{"game.example"}}
	namedProxied := proxied
	namedProxied.Hosts = named.Hosts
	origins := eventloop.WebSocketConfig{Origins: []string{"https://game.example", "http://localhost:8080"}}
	through := "X-Forwarded-For: 203.0.113.9"
	for _, c := range []struct {
		name         string
		config       eventloop.WebSocketConfig
		host, origin string
		more         []string
		status       string
	}{
		{"rebound", eventloop.WebSocketConfig{}, "evil.example:7778", "http://evil.example:7778", nil, "403"},
		{"rebound, page on another port", eventloop.WebSocketConfig{}, "evil.example:7778", "http://evil.example", nil, "403"},
		{"a name like ours", eventloop.WebSocketConfig{}, "localhost.evil.example", "http://localhost.evil.example", nil, "403"},
		{"a local page asks under a foreign name", eventloop.WebSocketConfig{}, "evil.example", "http://localhost:8080", nil, "403"},
		{"no name", eventloop.WebSocketConfig{}, "", "http://evil.example", nil, "403"},
		{"address", eventloop.WebSocketConfig{}, "127.0.0.1:7778", "http://127.0.0.1:7780", nil, "101"},
		{"localhost", eventloop.WebSocketConfig{}, "localhost:7778", "http://localhost:7780", nil, "101"},
		{"localhost and address", eventloop.WebSocketConfig{}, "127.0.0.1:7778", "http://localhost:7780", nil, "101"},
		{"no browser", eventloop.WebSocketConfig{}, "game.example", "", nil, "101"},
		{"configured", named, "Game.example:7778", "http://game.example", nil, "101"},
		{"another than configured", named, "evil.example:7778", "http://evil.example", nil, "403"},
		{"address beside a name", named, "127.0.0.1:7778", "http://127.0.0.1:7780", nil, "101"},
		{"proxy with TLS", proxied, "game.example", "https://game.example", []string{through}, "101"},
		{"no proxy: a page cannot send its header", proxied, "evil.example:7778", "http://evil.example:7778", nil, "400"},
		{"page of the player's machine through a proxy", proxied, "game.example", "http://localhost:8080", []string{through}, "403"},
		{"proxy, configured", namedProxied, "game.example", "https://game.example", []string{through}, "101"},
		{"proxy, another than configured", namedProxied, "evil.example", "https://evil.example", []string{through}, "403"},
		{"origins are enough", origins, "inner:7778", "https://game.example", nil, "101"},
		{"an origin's port", origins, "127.0.0.1:7778", "http://localhost:8080", nil, "101"},
		{"an origin in capitals", origins, "127.0.0.1:7778", "HTTPS://GAME.example", nil, "101"},
		{"an origin's other scheme", origins, "127.0.0.1:7778", "http://game.example", nil, "403"},
		{"an origin's other port", origins, "127.0.0.1:7778", "https://game.example:8443", nil, "403"},
		{"a sandboxed page", origins, "127.0.0.1:7778", "null", nil, "403"},
		{"a sandboxed page that is allowed", eventloop.WebSocketConfig{Sandboxed: true}, "127.0.0.1:7778", "null", nil, "101"},
		{"a sandboxed page, rebound", eventloop.WebSocketConfig{Sandboxed: true}, "evil.example:7778", "null", nil, "403"},
		{"another site where sandboxed pages are allowed", eventloop.WebSocketConfig{Sandboxed: true}, "127.0.0.1:7778", "https://evil.example", nil, "403"},
		{"a sandboxed page beside origins", eventloop.WebSocketConfig{Origins: origins.Origins, Sandboxed: true}, "127.0.0.1:7778", "null", nil, "101"},
		{"any origin", eventloop.WebSocketConfig{Origins: []string{"*"}}, "127.0.0.1:7778", "null", nil, "101"},
		{"origins refuse by themselves", origins, "evil.example", "http://evil.example", nil, "403"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.origin != "" {
				c.more = append(c.more, "Origin: "+c.origin)
			}
			l := listenWeb(t, "", c.config)
			r := strings.Replace(request(c.more...), "127.0.0.1:7778", c.host, 1)
			if status := connectRaw(t, l).handshake(r); status != c.status {
				t.Errorf("answered %q, want %q", status, c.status)
			}
		})
	}
}

// ListenBoth accepts sandboxed pages if its hosts contain null, which is no name of the server.
func TestListenBothSandboxed(t *testing.T) {
	for _, c := range []struct {
		hosts                []string
		host, origin, status string
	}{
		{nil, "127.0.0.1:7778", "null", "403"},
		{[]string{"game.example", "null"}, "127.0.0.1:7778", "null", "101"},
		{[]string{"game.example", "null"}, "game.example:7778", "https://game.example", "101"},
		{[]string{"game.example", "null"}, "null:7778", "null", "403"},
	} {
		l, err := eventloop.ListenBoth("127.0.0.1:0", "127.0.0.1:0", c.hosts)
		must(t, err)
		t.Cleanup(func() { _ = l.Close() })
		r := strings.Replace(request("Origin: "+c.origin), "127.0.0.1:7778", c.host, 1)
		if status := connectRaw(t, l).handshake(r); status != c.status {
			t.Errorf("%q, %s from %s: answered %q, want %q", c.hosts, c.host, c.origin, status, c.status)
		}
	}
}

// A refusal says what to configure. The log says so once too, because browsers do not show it.
func TestRefusalOfANameSaysWhatToDo(t *testing.T) {
	var log bytes.Buffer
	config := eventloop.ListenConfig{
		Logger:    slog.New(slog.NewTextHandler(&log, nil)),
		WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"},
	}
	l, err := config.Listen("")
	must(t, err)
	defer l.Close()
	for range 3 {
		r := connectRaw(t, l)
		write(t, r.conn, []byte(strings.Replace(request("Origin: http://evil.example"), "127.0.0.1:7778", "evil.example", 1)))
		answer, err := io.ReadAll(r.conn)
		if err != nil || !strings.Contains(string(answer), "WebSocketConfig.Hosts") || !strings.Contains(string(answer), "TrustedProxies") {
			t.Errorf("%q, %v", answer, err)
		}
	}
	_ = l.Close()
	if n := strings.Count(log.String(), "WebSocketConfig.Hosts"); n != 1 {
		t.Errorf("told %d times: %s", n, &log)
	}
}
