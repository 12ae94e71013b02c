package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
)

// pageAddress is the value of the flag -http.
type pageAddress struct {
	text  string
	typed bool // set by the user: do not fall back to another port
}

// String implements [flag.Value].
func (p *pageAddress) String() string { return p.text }

// Set implements [flag.Value].
func (p *pageAddress) Set(s string) error {
	if s == "" {
		return errors.New("the address is empty: pass HOST:PORT, or none for no page")
	}
	p.text, p.typed = s, true
	return nil
}

// localAddress returns the address at which this machine reaches a listener, even if it listens on all addresses.
func localAddress(at fmt.Stringer) string {
	a, err := netip.ParseAddrPort(at.String())
	if err != nil || !a.Addr().IsUnspecified() {
		return at.String()
	}
	return netip.AddrPortFrom(netip.MustParseAddr(host), a.Port()).String()
}

// Listen listens at an address. If the port is taken and fallback is set, it uses a free port of the same host.
func Listen(addr string, fallback bool) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w: ports below 1024 need a permission: AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit of systemd, or sysctl net.ipv4.ip_unprivileged_port_start=80", err)
	}
	if err == nil || !fallback {
		return ln, err
	}
	host, _, split := net.SplitHostPort(addr)
	if split != nil {
		return nil, err
	}
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}
