package hostname

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Guard says under which names a server answers browsers. The zero value is the strictest that
// still answers: who comes over loopback must have asked for localhost or a loopback address,
// others for any address.
type Guard struct {
	// Hosts are names of the server besides, without ports. Whoever can make one of them lead
	// elsewhere can pose as the server.
	Hosts []string
	// Proxies answer for the names that they pass on, unless there are Hosts: then those count
	// for proxies too.
	Proxies []netip.Prefix
}

// Validate returns an error for hosts that are none.
func (g Guard) Validate() error {
	for _, h := range g.Hosts {
		if h == "" || Of(h) != h || strings.ContainsAny(h, " /,*@") {
			return fmt.Errorf("%q is no host name without a port", h)
		}
	}
	return nil
}

// Allows reports whether a request is answered whose Host header is host, on a connection from
// remote.
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

// Of is the name in a Host header, without port and brackets.
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

// Loopback reports whether a name leads to the machine that looks it up, whoever answers for
// names: it is localhost or a loopback address.
func Loopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	a, ok := address(name)
	return ok && a.IsLoopback()
}

// address reads a name that is one. What stands in a zone would be anybody's choice, and browsers
// know none.
func address(name string) (a netip.Addr, ok bool) {
	a, err := netip.ParseAddr(name)
	return a.Unmap(), err == nil && a.Zone() == ""
}
