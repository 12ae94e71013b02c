package netsys_test

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// Printing or logging configurations, tokens, servers, clients, sessions and errors with any verb, even an unsuitable one,
// never shows the key or a session's key.
func TestSecretsNotLogged(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{})
	token := s.issue(7)
	config := netsys.ClientConfig{Token: token}
	p := s.joinWith(7, netsys.Link{}, config)
	refused := s.joinWith(8, netsys.Link{}, netsys.ClientConfig{Token: s.issue(8), Schema: []string{"other"}})
	s.until("one in, one out", func() bool { return p.seated() && refused.reason != nil })
	p.everything()
	second := s.join(7, netsys.Link{})
	s.until("taken over", func() bool { return second.seated() && p.reason != nil })

	serverConfig := netsys.ServerConfig{Key: s.key}
	tokenConfig := netcode.TokenConfig{Key: s.key, Servers: []netip.AddrPort{s.addr}}
	secrets := printed.Secrets{}
	secrets.Add("the key", s.key[:])
	secrets.Add("client to server", token.ClientToServer[:])
	secrets.Add("server to client", token.ServerToClient[:])
	_, badKey := netcode.ParseKey(hex.EncodeToString(s.key[:31]) + "zz")
	_, badToken := netcode.ParseToken(append(token.Append(nil), 0))
	broken := token.Append(nil)
	broken[1000]++
	broken[0]++
	_, brokenToken := netcode.ParseToken(broken)
	_, insecure := netsys.NewClient(&at{s.wire}, s.addr, netsys.ClientConfig{})
	subjects := map[string]any{
		"ServerConfig": serverConfig, "*ServerConfig": &serverConfig, "bad ServerConfig": netsys.ServerConfig{Key: s.key, MaxClients: -1}.Validate(),
		"ClientConfig": config, "*ClientConfig": &config,
		"TokenConfig": tokenConfig, "*TokenConfig": &tokenConfig, "bad TokenConfig": netcode.TokenConfig{Key: s.key}.Validate(),
		"ConnectToken": *token, "*ConnectToken": token,
		"Key": s.key, "*Key": &s.key, "[]Key": []netcode.Key{s.key}, "map": map[string]netcode.Key{"k": s.key},
		"Server": s.server, "Client": p.Client, "session of the server": p.atServer, "session of the client": p.Session(),
		"Stats": p.atServer.Stats(), "channels": p.atServer.Channels(),
		"refusal": refused.reason, "replaced": p.endAtServer, "end": p.reason, "bad key": badKey, "bad token": badToken,
		"broken token": brokenToken, "insecure": insecure,
	}
	for name, subject := range subjects {
		secrets.Hidden(t, name, subject, printed.Every)
	}
}

// at is a wire with an address that is not virtual.
type at struct{ netsys.Wire }
