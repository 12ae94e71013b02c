package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// pageAddress is the flag -http.
type pageAddress struct {
	text  string
	typed bool // another one will not do
}

// String implements [flag.Value].
func (p *pageAddress) String() string { return p.text }

// Set implements [flag.Value].
func (p *pageAddress) Set(s string) error {
	if s == "" {
		return errors.New("an address is missing; none: no page")
	}
	p.text, p.typed = s, true
	return nil
}

// here is where this machine finds what listens at an address, which may be all there are.
func here(at fmt.Stringer) string {
	a, err := netip.ParseAddrPort(at.String())
	if err != nil || !a.Addr().IsUnspecified() {
		return at.String()
	}
	return netip.AddrPortFrom(netip.MustParseAddr(host), a.Port()).String()
}

// Listen listens at an address, or at a free port of its host where fallback allows
// it and the port is taken.
func Listen(addr string, fallback bool) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil || !fallback {
		return ln, err
	}
	host, _, split := net.SplitHostPort(addr)
	if split != nil {
		return nil, err
	}
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}
