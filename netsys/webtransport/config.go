//go:build !js

package webtransport

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
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

// Config configures a [Listener]. Addr and TLS are needed.
type Config struct {
	// Addr is the UDP address to serve, such as ":7779"; port 0 takes a free one, see [Listener.LocalAddr].
	Addr string
	// TLS has the certificate. [DevelopmentCertificate] makes one for your own machine. Protocols and versions are set here.
	TLS *tls.Config
	// Path is that of the URL to connect to. Default (""): "/".
	Path string

	// Origins are the pages that may connect, as scheme://host or scheme://host:port; "*" is any page. nil is pages from the
	// host that the browser connected to, as with eventloop.WebSocketConfig.Origins. Clients that send no origin are no
	// browsers, and always let in.
	Origins []string
	// Hosts are the names of this server, such as game.example, without ports, from which pages may connect besides. They go
	// with Origins nil alone.
	Hosts []string

	// Connections bounds the connections, finished handshakes or not; more are refused. Default (0): 1,024.
	Connections int
	// PerAddress bounds the connections of one IPv4 address or one IPv6 network of 64 bits. Default (0): 32, and no bound for
	// loopback.
	PerAddress int
	// AnswerTimeout ends a connection that began no session for so long, and a session to which nothing was sent for so long
	// after it began, since what it sent was good for nothing. Default (0): 3 s.
	AnswerTimeout time.Duration
	// IdleTimeout ends a connection that brought no datagram for so long. Default (0): 20 s, twice the timeout of a session.
	IdleTimeout time.Duration
	// PerSecond is how many datagrams of one connection are taken in a second; more are lost. Default (0): 1,000.
	PerSecond int
	// Outbound bounds the datagrams that wait for one connection. When one more is sent, the oldest goes. Default (0): 64.
	Outbound int
}

// Validate returns an error that says what is missing, negative or malformed.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) { errs = append(errs, fmt.Errorf("webtransport: Config."+format, v...)) }
	if c.Addr == "" {
		bad(`Addr is empty: write where to listen, such as "127.0.0.1:0"`)
	}
	if c.TLS == nil || len(c.TLS.Certificates) == 0 && c.TLS.GetCertificate == nil && c.TLS.GetConfigForClient == nil {
		bad("TLS has no certificate: on your own machine DevelopmentCertificate makes one")
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

// filled is c with the documented defaults in place of zeros.
func (c Config) filled() Config {
	c.Path = cmp.Or(c.Path, defaultPath)
	c.Connections = cmp.Or(c.Connections, defaultConnections)
	c.AnswerTimeout, c.IdleTimeout = cmp.Or(c.AnswerTimeout, defaultAnswerTimeout), cmp.Or(c.IdleTimeout, defaultIdleTimeout)
	c.PerSecond, c.Outbound = cmp.Or(c.PerSecond, defaultPerSecond), cmp.Or(c.Outbound, defaultOutbound)
	return c
}

// pages says which pages may connect.
func (c *Config) pages() hostname.Pages {
	return hostname.Pages{Origins: c.Origins, Guard: hostname.Guard{Hosts: c.Hosts}}
}

// allows reports whether a request may begin a session.
func (c *Config) allows(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	remote, err := hostname.Guard{}.Client(r)
	return err == nil && c.pages().Check(origin, r.Host, remote) == nil
}
