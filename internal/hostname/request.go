package hostname

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Foreign reports whether a page of another site, or of another port of this machine, makes a request. It could not read
// the answer; but it could make the server do something, and tell from the time what is there. A page under one of the
// Hosts is none, whatever a proxy made of the name.
func (g Guard) Foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // none: the address bar
	default:
		return true
	}
	origin := r.Header.Get("Origin") // of browsers that tell no more
	if origin == "" {
		return false
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return true
	}
	return !strings.EqualFold(from.Host, r.Host) && !slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, from.Hostname()) })
}

// Forwarded reports whether a proxy says that it passes a request on.
func Forwarded(h http.Header) bool {
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

// Client is the address that a request comes from: of the connection, or, when that is one of the Proxies, the last one
// in X-Forwarded-For that is none. What stands before it was written by the client.
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

// Network is what addresses are counted by: an IPv4 address, or the 64 bits of an IPv6 address that a household has, or
// one machine with all addresses that it likes.
func Network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() || a.IsLoopback() {
		return a
	}
	p, _ := a.Prefix(64) // a has so many bits
	return p.Addr()
}
