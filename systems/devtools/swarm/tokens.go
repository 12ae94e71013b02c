package swarm

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/internal/tokens"
)

// TokenFunc returns the connect token of client n, for [Config.Token].
type TokenFunc func(ctx context.Context, n int) (*netcode.ConnectToken, error)

// Issue returns a TokenFunc that issues tokens with the secret of servers and login service: client n is player n+1.
// servers are the addresses in the server's ServerConfig.Session.Addresses.
func Issue(key netcode.Key, servers ...netip.AddrPort) TokenFunc {
	return func(_ context.Context, n int) (*netcode.ConnectToken, error) {
		return netcode.TokenConfig{Key: key, ClientID: uint64(n) + 1, Servers: servers, UserData: fmt.Appendf(nil, "swarm %d", n)}.Issue(time.Now())
	}
}

// Files returns a TokenFunc that reads one token per file: 2,048 bytes, their base64, or the JSON of a login service. For a
// folder it reads all files, sorted by name. Each token serves one client.
func Files(names ...string) (TokenFunc, error) {
	var all []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			all = append(all, name)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() {
				all = append(all, filepath.Join(name, e.Name()))
			}
		}
	}
	return func(_ context.Context, n int) (*netcode.ConnectToken, error) {
		if n >= len(all) {
			return nil, fmt.Errorf("swarm: no token for client %d: there are %d files", n, len(all))
		}
		token, err := tokens.Read(all[n])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", all[n], err)
		}
		return token, nil
	}, nil
}

// Service returns a TokenFunc that logs in to a login service such as examples/tokens, at an https URL, or http on this
// machine. Client n logs in by name, with %d replaced by n, and the password in the environment variable TACTUS_PASSWORD.
func Service(url, name string) TokenFunc {
	return func(ctx context.Context, n int) (*netcode.ConnectToken, error) {
		return tokens.LogIn(ctx, url, strings.ReplaceAll(name, "%d", strconv.Itoa(n)))
	}
}
