package hostname

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Pages says which pages of browsers may connect to a server.
type Pages struct {
	// Origins are the allowed pages, as scheme://host or scheme://host:port; "*" allows any page. nil allows pages
	// from the host that the browser connected to, with any scheme and port, if Guard allows its name, and over
	// loopback pages from any name of this machine.
	Origins []string
	// Guard checks the host if Origins is nil.
	Guard Guard
	// Sandboxed also allows pages whose origin is [Null]: see [Embed] for the risk.
	Sandboxed bool
}

// Reasons for refusing a page.
var (
	// ErrOrigin means that pages of this origin are not allowed.
	ErrOrigin = errors.New("hostname: pages of this origin may not connect")
	// ErrHost means that the host name could be controlled by any web site.
	ErrHost = errors.New("hostname: any web site could lead here under this name")
)

// Validate returns an error for invalid origins or hosts.
func (p Pages) Validate() error {
	for _, origin := range p.Origins {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin) {
			return fmt.Errorf("%q is not scheme://host", origin)
		}
	}
	return p.Guard.Validate()
}

// Check returns nil if a page may connect, else [ErrOrigin] or [ErrHost]. from is the Origin header, which a page
// cannot choose, host the Host header, and remote the address of the connection.
func (p Pages) Check(from, host string, remote netip.Addr) error {
	sandboxed := p.Sandboxed && from == Null
	if p.Origins != nil {
		if sandboxed || slices.Contains(p.Origins, "*") || slices.ContainsFunc(p.Origins, func(o string) bool {
			return strings.EqualFold(o, from)
		}) {
			return nil
		}
		return ErrOrigin
	}
	origin, err := url.Parse(from)
	if !sandboxed && (err != nil || origin.Hostname() == "") {
		return ErrOrigin
	}
	if !p.Guard.Allows(host, remote) {
		return ErrHost
	}
	if sandboxed {
		return nil
	}
	home := remote.IsLoopback() && !p.Guard.Proxied(remote)
	if strings.EqualFold(origin.Hostname(), Of(host)) || home && Loopback(origin.Hostname()) {
		return nil
	}
	return ErrOrigin
}
