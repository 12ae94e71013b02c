package hostname

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Guard says under which names a server answers browsers. The zero value is the strictest useful setting: requests
// over loopback must name localhost or a loopback address, other requests must name an IP address.
type Guard struct {
	// Hosts are additional names of the server, without ports. Whoever controls one of these names can impersonate
	// the server.
	Hosts []string
	// Proxies are trusted to check the names that they forward. If Hosts is set, the names of forwarded requests are
	// checked too.
	Proxies []netip.Prefix
}

// Validate returns an error for invalid hosts.
func (g Guard) Validate() error {
	for _, h := range g.Hosts {
		if h == "" || Of(h) != h || strings.ContainsAny(h, " /,*@") {
			return fmt.Errorf("%q is no host name without a port", h)
		}
	}
	return nil
}

// Allows reports whether the server answers a request with this Host header on a connection from remote.
func (g Guard) Allows(host string, remote netip.Addr) bool {
	name, proxied := Of(host), g.Proxied(remote)
	if slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	if proxied && len(g.Hosts) == 0 || Loopback(name) {
		return true
	}
	_, ok := address(name)
	return ok && (proxied || !remote.Unmap().IsLoopback())
}

// Proxied reports whether remote is one of the proxies.
func (g Guard) Proxied(remote netip.Addr) bool {
	remote = remote.Unmap().WithZone("")
	return slices.ContainsFunc(g.Proxies, func(p netip.Prefix) bool { return p.Contains(remote) })
}

// Of returns the name in a Host header, without port and brackets.
func Of(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if inside, ok := strings.CutPrefix(name, "["); ok {
		name = strings.TrimSuffix(inside, "]")
	}
	return name
}

// Loopback reports whether a name always refers to the machine that resolves it: localhost or a loopback address.
func Loopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	a, ok := address(name)
	return ok && a.IsLoopback()
}

// address parses a name that is an IP address. It rejects zones, because a client could choose them freely and
// browsers do not send them.
func address(name string) (a netip.Addr, ok bool) {
	a, err := netip.ParseAddr(name)
	return a.Unmap(), err == nil && a.Zone() == ""
}
