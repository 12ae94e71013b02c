package netsys

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// DefaultProtocolID is the protocol id of a game that chose none, in servers, clients and tokens alike.
const DefaultProtocolID = netcode.DefaultProtocolID

// developmentLifetime is how long a token of the development mode can be used: half of what servers take, so that
// clocks may differ by half an hour either way.
const developmentLifetime = 30 * time.Minute

// DevelopmentKey is the key of the development mode, in which no login service is needed. It is no secret: it
// protects nobody from anybody.
func DevelopmentKey() (k netcode.Key) {
	copy(k[:], "tactus: a key that everybody has")
	return k
}

// secure is the configuration of netcode, or an error when that is not safe enough.
func (c ServerConfig) secure(w Wire) (netcode.ServerConfig, error) {
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
		if at := w.LocalAddr(); !c.InsecureAllowAnyAddress && !isVirtual(w) && !atHome(w) {
			return n, fmt.Errorf("%w, and this server is at %v; set ServerConfig.Key, or InsecureAllowAnyAddress to let everybody in", ErrInsecure, at)
		}
		n.Key, n.Addresses, n.AnyAddress = DevelopmentKey(), nil, true
		return n, nil
	}
	if n.Addresses == nil {
		n.Addresses = listens(w)
		for _, at := range n.Addresses {
			if at.Addr().IsUnspecified() {
				return n, fmt.Errorf("netsys: ServerConfig.Addresses is needed: connect tokens cannot name %v; write where players reach this server, such as 203.0.113.7:%d", at, at.Port())
			}
		}
	}
	return n, nil
}

// listens is where a wire can be reached: what serves in several ways says all of its addresses.
func listens(w Wire) []netip.AddrPort {
	switch w := w.(type) {
	case *Conditioner:
		return listens(w.wire)
	case interface{ LocalAddrs() []netip.AddrPort }:
		return w.LocalAddrs()
	}
	return []netip.AddrPort{w.LocalAddr()}
}

// peerAddr is the ordinary form of an address that a wire delivered from: one that serves WebSockets marks theirs.
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

// atHome reports whether a wire listens on loopback addresses only.
func atHome(w Wire) bool {
	return !slices.ContainsFunc(listens(w), func(at netip.AddrPort) bool { return !at.Addr().IsLoopback() })
}

// develop is what the token of a client without one says, or an error when that is not safe enough.
func (c ClientConfig) develop(w Wire, server netip.AddrPort) (netcode.TokenConfig, error) {
	t := netcode.TokenConfig{
		Key:        DevelopmentKey(),
		ProtocolID: c.ProtocolID,
		ClientID:   c.ClientID,
		Servers:    []netip.AddrPort{server},
		Lifetime:   developmentLifetime,
		Timeout:    -time.Second, // sessions have their own
		Random:     c.Random,
	}
	if !server.IsValid() {
		return t, fmt.Errorf("netsys: NewClient needs the server's address or a ClientConfig.Token")
	}
	if !c.InsecureAllowAnyAddress && !isVirtual(w) && !server.Addr().IsLoopback() {
		return t, fmt.Errorf("%w, and the server is at %v; set ClientConfig.Token, or InsecureAllowAnyAddress to trust the network", ErrInsecure, server)
	}
	if t.ClientID == 0 {
		t.ClientID = randomUint64(c.Random)
	}
	return t, t.Validate()
}
