package hostname

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Foreign reports whether a page of another site, or of another port of this machine, sent the request. Such a page
// cannot read the response, but it could trigger actions and learn from the timing. Pages under one of the Hosts are
// not foreign, even if a proxy changed the Host header.
func (g Guard) Foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // none: the address bar
	default:
		return true
	}
	origin := r.Header.Get("Origin") // for browsers without Sec-Fetch-Site
	if origin == "" {
		return false
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return true
	}
	return !strings.EqualFold(from.Host, r.Host) && !slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, from.Hostname()) })
}

// Forwarded reports whether a proxy forwarded the request, according to its headers.
func Forwarded(h http.Header) bool {
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

// Client returns the address of the client: the address of the connection, or if that is one of the Proxies, the last
// address in X-Forwarded-For that is not a proxy. Earlier addresses there are written by the client and cannot be
// trusted.
func (g Guard) Client(r *http.Request) (netip.Addr, error) {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, err
	}
	from := remote.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && g.Proxied(from); i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from = a.Unmap().WithZone("")
	}
	return from, nil
}

// Network returns the address by which clients are counted: an IPv4 address, or the /64 prefix of an IPv6 address,
// because one household or machine can use all addresses of its prefix.
func Network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() || a.IsLoopback() {
		return a
	}
	p, _ := a.Prefix(64) // never fails: a is an IPv6 address
	return p.Addr()
}
