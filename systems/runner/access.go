package runner

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/runner/internal/login"
)

const (
	// passwordVariable is the environment variable with the password of -login: command lines are no secret.
	passwordVariable = "TACTUS_PASSWORD"
	// maxToken bounds what is read of a token's file or of a service's answer.
	maxToken = 64 << 10
)

// access is what -key, -token and -login say.
type access struct {
	key    netcode.Key      // zero: none
	public []netip.AddrPort // of -public
	tokens []*netcode.ConnectToken

	joined func(client uint32, s netsys.Session) // told who has joined; nil: nobody is
}

// open reads what -key and -public say.
func (a *access) open(o *Options) (err error) {
	if o.Key != "" {
		if a.key, err = keyfile.Read(o.Key); err != nil {
			return fmt.Errorf("-key: %w", err)
		}
	}
	for _, text := range list(o.Public) {
		addr, err := net.ResolveUDPAddr("udp", text)
		if err != nil {
			return fmt.Errorf("-public: %w", err)
		}
		ap := addr.AddrPort()
		a.public = append(a.public, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
	}
	return nil
}

// collect gets the tokens that -token and -login name: one for each bot.
func (a *access) collect(ctx context.Context, o *Options) error {
	for _, source := range list(o.Token) {
		if !strings.Contains(source, "://") {
			token, err := readToken(source)
			if err != nil {
				return fmt.Errorf("-token %s: %w", source, err)
			}
			a.tokens = append(a.tokens, token)
			continue
		}
		for _, name := range list(o.Login) {
			token, err := logIn(ctx, source, name, os.Getenv(passwordVariable))
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

// token is the n-th bot's: collected, or issued here for a server's address, or nil in development mode.
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

// readToken reads a token's file.
func readToken(name string) (*netcode.ConnectToken, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(file, maxToken))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return parseToken(b)
}

// parseToken takes a token's bytes, their base64, or the JSON that a login service answers.
func parseToken(b []byte) (*netcode.ConnectToken, error) {
	if len(b) == netcode.TokenSize {
		return netcode.ParseToken(b)
	}
	b = bytes.TrimSpace(b)
	if bytes.HasPrefix(b, []byte("{")) {
		var answer struct{ Token string }
		if err := json.Unmarshal(b, &answer); err != nil {
			return nil, fmt.Errorf("%w: %w", netcode.ErrToken, err)
		}
		b = []byte(answer.Token)
	}
	raw, err := base64.StdEncoding.DecodeString(string(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", netcode.ErrToken, err)
	}
	return netcode.ParseToken(raw)
}

// logIn asks a service such as examples/tokens for a token.
func logIn(ctx context.Context, service, name, password string) (*netcode.ConnectToken, error) {
	if password == "" {
		return nil, fmt.Errorf("the environment variable %s must hold the password", passwordVariable)
	}
	answer, err := login.Ask(ctx, service, name, password)
	if err != nil {
		return nil, err
	}
	return parseToken(answer)
}

// list splits a flag at its commas.
func list(flag string) (all []string) {
	for text := range strings.SplitSeq(flag, ",") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}
