package runner

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/internal/tokens"
)

// access is the parsed form of the flags -key, -token and -login.
type access struct {
	key    netcode.Key      // zero: none
	public []netip.AddrPort // parsed -public
	tokens []*netcode.ConnectToken

	joined func(client uint32, s netsys.Session) // called when a client has joined; may be nil
}

// open parses -key and -public.
func (a *access) open(o *Options) (err error) {
	if o.Key != "" {
		if a.key, err = keyfile.Read(o.Key); err != nil {
			return fmt.Errorf("-key: %w", err)
		}
	}
	for _, text := range tokens.List(o.Public) {
		addr, err := net.ResolveUDPAddr("udp", text)
		if err != nil {
			return fmt.Errorf("-public: %w", err)
		}
		ap := addr.AddrPort()
		a.public = append(a.public, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
	}
	return nil
}

// collect obtains the tokens of -token and -login, one for each bot.
func (a *access) collect(ctx context.Context, o *Options) error {
	for _, source := range tokens.List(o.Token) {
		if !tokens.IsService(source) {
			token, err := tokens.Read(source)
			if err != nil {
				return fmt.Errorf("-token %s: %w", source, err)
			}
			a.tokens = append(a.tokens, token)
			continue
		}
		for _, name := range tokens.List(o.Login) {
			token, err := tokens.LogIn(ctx, source, name)
			if err != nil {
				return fmt.Errorf("-token %s -login %s: %w", source, name, err)
			}
			a.tokens = append(a.tokens, token)
		}
	}
	if n := len(a.tokens); n > 0 {
		o.Clients, o.Guests = n, 0
	}
	return nil
}

// token returns the token of bot n: a collected one, one issued here for the server's address, or nil in development
// mode.
func (a *access) token(n int, o *Options, server netip.AddrPort, now time.Time) (*netcode.ConnectToken, error) {
	if n < len(a.tokens) {
		return a.tokens[n], nil
	}
	if a.key == (netcode.Key{}) {
		return nil, nil
	}
	return netcode.TokenConfig{
		Key:      a.key,
		ClientID: uint64(n) + 1,
		Servers:  []netip.AddrPort{server},
		Known:    a.public,
		UserData: fmt.Appendf(nil, "bot %d", n),
		Random:   o.random(o.Seed<<16 + uint64(n)),
	}.Issue(now)
}
