package netsys_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// Whatever is printed or logged of configurations, tokens, servers, clients, sessions and errors, by any verb that asks
// them, those that do not fit among them: neither the key nor a key of a session is in it.
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
	secrets := map[string][]byte{
		"the key": s.key[:], "client to server": token.ClientToServer[:], "server to client": token.ServerToClient[:],
	}
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
		var texts []string
		for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%X", "%d", "%s", "%q"} {
			texts = append(texts, fmt.Sprintf(verb, subject), fmt.Sprintf(verb, []any{subject}), fmt.Sprintf(verb, struct{ Inside any }{subject}))
		}
		var logged bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
			slog.New(h).Info("secret?", "subject", subject, slog.Group("in", "side", subject))
		}
		encoded, _ := json.Marshal(subject)
		for _, text := range append(texts, logged.String(), string(encoded), fmt.Sprint(errors.Join(fmt.Errorf("wrapped: %v", subject)))) {
			for what, secret := range secrets {
				if shows(text, secret) {
					t.Errorf("%s shows %s: %.300s", name, what, text)
				}
			}
		}
	}
}

// shows reports whether a text has a secret, or much of it, in some spelling.
func shows(text string, secret []byte) bool {
	part := secret[4:20]
	decimal := strings.Trim(fmt.Sprint(part), "[]")
	for _, spelled := range []string{
		string(part), hex.EncodeToString(part), decimal, strings.ReplaceAll(decimal, " ", ","), strings.ReplaceAll(decimal, " ", ", "),
		strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", part), "[]byte{"), "}"), fmt.Sprintf("% x", part),
		strings.Trim(fmt.Sprintf("%q", part), `"`), strings.Trim(fmt.Sprintf("%x", toInts(part)), "[]"),
		base64.StdEncoding.EncodeToString(secret[6:24]), base64.StdEncoding.EncodeToString(secret)[:20],
	} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(spelled)) {
			return true
		}
	}
	return false
}

func toInts(b []byte) (ints []int) {
	for _, v := range b {
		ints = append(ints, int(v))
	}
	return ints
}

// at is a wire on some address that is not virtual.
type at struct{ netsys.Wire }
