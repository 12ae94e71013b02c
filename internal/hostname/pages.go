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
	// Origins are those pages, as scheme://host or scheme://host:port; "*" is any page. nil is pages from the host that the
	// browser connected to, whatever their scheme and port, under a name that Guard allows, and over loopback pages from any
	// name of this machine.
	Origins []string
	// Guard is asked where Origins is nil.
	Guard Guard
}

// Why a page may not connect.
var (
	// ErrOrigin: pages of this origin may not.
	ErrOrigin = errors.New("hostname: pages of this origin may not connect")
	// ErrHost: any web site could lead here under the name that was asked for.
	ErrHost = errors.New("hostname: any web site could lead here under this name")
)

// Validate returns an error for origins and hosts that are none.
func (p Pages) Validate() error {
	for _, origin := range p.Origins {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin) {
			return fmt.Errorf("%q is not scheme://host", origin)
		}
	}
	return p.Guard.Validate()
}

// Check says whether a page may connect that came from an origin, asks for a host, and does so from remote: nil, [ErrOrigin] or
// [ErrHost]. The origin is what browsers do not let a page choose.
func (p Pages) Check(from, host string, remote netip.Addr) error {
	if p.Origins != nil {
		if slices.Contains(p.Origins, "*") || slices.ContainsFunc(p.Origins, func(o string) bool {
			return strings.EqualFold(o, from)
		}) {
			return nil
		}
		return ErrOrigin
	}
	origin, err := url.Parse(from)
	if err != nil || origin.Hostname() == "" {
		return ErrOrigin
	}
	if !p.Guard.Allows(host, remote) {
		return ErrHost
	}
	home := remote.IsLoopback() && !p.Guard.Proxied(remote)
	if strings.EqualFold(origin.Hostname(), Of(host)) || home && Loopback(origin.Hostname()) {
		return nil
	}
	return ErrOrigin
}
