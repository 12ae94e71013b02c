package netsys

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// DefaultProtocolID is the default protocol id of servers, clients and tokens.
const DefaultProtocolID = netcode.DefaultProtocolID

// developmentLifetime is the lifetime of a token in development mode. It is half of the longest lifetime that servers accept, so
// that clocks may differ by half an hour in both directions.
const developmentLifetime = 30 * time.Minute

// DevelopmentKey returns the key of development mode, which needs no login service. The key is public and protects nothing.
func DevelopmentKey() (k netcode.Key) {
	copy(k[:], "tactus: a key that everybody has")
	return k
}

// netcodeConfig returns the configuration of netcode. It returns an error if the server would be insecure.
func (c ServerConfig) netcodeConfig(w Wire) (netcode.ServerConfig, error) {
	n := netcode.ServerConfig{
		Key:         c.Key,
		ProtocolID:  c.ProtocolID,
		Addresses:   c.Addresses,
		Takeover:    true,
		MaxClients:  orDefault(c.MaxClients, defaultMaxClients),
		MaxLifetime: c.MaxTokenLifetime,
		Random:      c.Random,
	}
	if c.Key == (netcode.Key{}) || c.Key == DevelopmentKey() {
		if at := w.LocalAddr(); !c.InsecureAllowAnyAddress && !isVirtual(w) && !isLoopback(w) {
			return n, fmt.Errorf("%w, and this server is at %v: set ServerConfig.Key, or InsecureAllowAnyAddress to admit everybody", ErrInsecure, at)
		}
		n.Key, n.Addresses, n.AnyAddress = DevelopmentKey(), nil, true
		return n, nil
	}
	if n.Addresses == nil {
		n.Addresses = localAddrs(w)
		for _, at := range n.Addresses {
			if at.Addr().IsUnspecified() {
				return n, fmt.Errorf("netsys: ServerConfig.Addresses is empty, and connect tokens cannot name %v: set it to the address that players connect to, such as 203.0.113.7:%d", at, at.Port())
			}
		}
	}
	return n, nil
}

// localAddrs returns all addresses on which a wire listens.
func localAddrs(w Wire) []netip.AddrPort {
	switch w := w.(type) {
	case *Conditioner:
		return localAddrs(w.wire)
	case interface{ LocalAddrs() []netip.AddrPort }:
		return w.LocalAddrs()
	}
	return []netip.AddrPort{w.LocalAddr()}
}

// peerAddr returns the ordinary form of an address that a wire delivered. Wires that serve WebSocket mark the addresses of
// WebSocket connections.
func peerAddr(w Wire, from netip.AddrPort) netip.AddrPort {
	switch w := w.(type) {
	case *Conditioner:
		return peerAddr(w.wire, from)
	case interface {
		PeerAddr(from netip.AddrPort) netip.AddrPort
	}:
		return w.PeerAddr(from)
	}
	return from
}

// isLoopback reports whether a wire listens on loopback addresses only.
func isLoopback(w Wire) bool {
	return !slices.ContainsFunc(localAddrs(w), func(at netip.AddrPort) bool { return !at.Addr().IsLoopback() })
}

// developmentToken returns the contents of the token that a client in development mode issues. It returns an error if the client
// would be insecure.
func (c ClientConfig) developmentToken(w Wire, server netip.AddrPort) (netcode.TokenConfig, error) {
	t := netcode.TokenConfig{
		Key:        DevelopmentKey(),
		ProtocolID: c.ProtocolID,
		ClientID:   c.ClientID,
		Servers:    []netip.AddrPort{server},
		Lifetime:   developmentLifetime,
		Timeout:    -time.Second, // none: sessions have their own timeout
		Random:     c.Random,
	}
	if !server.IsValid() {
		return t, fmt.Errorf("netsys: NewClient: the server's address is missing: pass it, or set ClientConfig.Token")
	}
	if !c.InsecureAllowAnyAddress && !isVirtual(w) && !server.Addr().IsLoopback() {
		return t, fmt.Errorf("%w, and the server is at %v: set ClientConfig.Token, or InsecureAllowAnyAddress to trust the network", ErrInsecure, server)
	}
	if t.ClientID == 0 {
		t.ClientID = randomUint64(c.Random)
	}
	return t, t.Validate()
}
