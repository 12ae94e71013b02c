//go:build !js

package webtransport

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

const (
	defaultPath          = "/"
	defaultConnections   = 1024
	defaultPerAddress    = 32
	defaultPerSecond     = 1000
	maxPerSecond         = 1_000_000
	defaultIdleTimeout   = 20 * time.Second
	defaultAnswerTimeout = 3 * time.Second
	defaultOutbound      = 64
)

// Config configures a [Listener]. Addr is required.
type Config struct {
	// Addr is the UDP address, such as ":7779". Port 0 means a free port: see [Listener.LocalAddr].
	Addr string
	// TLS contains the certificate. Listen sets protocols and versions. Default (nil): a [DevelopmentCertificate], if Addr is on
	// loopback.
	TLS *tls.Config
	// Path is the path of the URL. Default (""): "/".
	Path string

	// Origins lists the pages that may connect, as scheme://host or scheme://host:port; "*" means any page. Default (nil):
	// pages from the host that the browser connects to, as in eventloop.WebSocketConfig.Origins. Clients without an Origin
	// header are not browsers and are always accepted.
	Origins []string
	// Hosts lists additional host names of this server, without ports, such as game.example. Pages from them may connect.
	// Set Hosts only if Origins is nil.
	Hosts []string
	// Sandboxed also accepts the origin "null" of pages in sandboxed frames: see eventloop.WebSocketConfig.Sandboxed for the
	// risk.
	Sandboxed bool

	// Connections is the maximum number of connections, including unfinished handshakes. Further connections are refused.
	// Default (0): 1,024.
	Connections int
	// PerAddress is the maximum number of connections of one IPv4 address or one IPv6 /64 network. Default (0): 32, and no
	// limit for loopback.
	PerAddress int
	// AnswerTimeout is how long a connection may exist without a session, and a session without a datagram from the server.
	// A server that never answers has rejected everything that the client sent. Default (0): 3 s.
	AnswerTimeout time.Duration
	// IdleTimeout closes a connection that has sent no datagram for this time. Default (0): 20 s, twice the timeout of a
	// session.
	IdleTimeout time.Duration
	// PerSecond is the number of datagrams accepted per second and connection. Further datagrams are dropped. Default (0):
	// 1,000.
	PerSecond int
	// Outbound is the number of datagrams that can wait for one connection. A further datagram replaces the oldest. Default
	// (0): 64.
	Outbound int
}

// Validate returns an error that lists missing, negative and malformed fields.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) { errs = append(errs, fmt.Errorf("webtransport: Config."+format, v...)) }
	if c.Addr == "" {
		bad(`Addr is empty: write where to listen, such as "127.0.0.1:0"`)
	}
	switch host, _, _ := net.SplitHostPort(c.Addr); {
	case c.TLS == nil && !hostname.Loopback(host):
		bad("TLS is nil: other machines need a certificate to reach %q", c.Addr)
	case c.TLS != nil && len(c.TLS.Certificates) == 0 && c.TLS.GetCertificate == nil && c.TLS.GetConfigForClient == nil:
		bad("TLS has no certificate")
	}
	if c.Path != "" && !strings.HasPrefix(c.Path, "/") {
		bad("Path %q does not begin with /", c.Path)
	}
	if err := c.pages().Validate(); err != nil {
		bad("Origins or Hosts: %w", err)
	}
	if c.Origins != nil && c.Hosts != nil {
		bad("Hosts %q with Origins: those alone decide then", c.Hosts)
	}
	for name, n := range map[string]int{"Connections": c.Connections, "PerAddress": c.PerAddress, "Outbound": c.Outbound} {
		if n < 0 {
			bad("%s %d is negative", name, n)
		}
	}
	for name, d := range map[string]time.Duration{"AnswerTimeout": c.AnswerTimeout, "IdleTimeout": c.IdleTimeout} {
		if d < 0 {
			bad("%s %v is negative", name, d)
		}
	}
	if c.PerSecond < 0 || c.PerSecond > maxPerSecond {
		bad("PerSecond %d is not in 1..%d (0: the default)", c.PerSecond, maxPerSecond)
	}
	return errors.Join(errs...)
}

// filled returns c with the defaults in place of zeros.
func (c Config) filled() Config {
	c.Path = cmp.Or(c.Path, defaultPath)
	c.Connections = cmp.Or(c.Connections, defaultConnections)
	c.AnswerTimeout, c.IdleTimeout = cmp.Or(c.AnswerTimeout, defaultAnswerTimeout), cmp.Or(c.IdleTimeout, defaultIdleTimeout)
	c.PerSecond, c.Outbound = cmp.Or(c.PerSecond, defaultPerSecond), cmp.Or(c.Outbound, defaultOutbound)
	return c
}

// pages returns the rules for pages that connect.
func (c *Config) pages() hostname.Pages {
	return hostname.Pages{Origins: c.Origins, Guard: hostname.Guard{Hosts: c.Hosts}, Sandboxed: c.Sandboxed}
}

// allows reports whether a request may start a session.
func (c *Config) allows(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	remote, err := hostname.Guard{}.Client(r)
	return err == nil && c.pages().Check(origin, r.Host, remote) == nil
}
