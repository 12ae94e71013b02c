package netcode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
)

// spellings are a part of a key as it is written by whatever does not know that it is one.
func spellings(k Key) (all []string) {
	part := k[8:16]
	decimal := strings.Trim(fmt.Sprint(part), "[]")
	numbers := fmt.Sprintf("%#v", part)
	for _, s := range []string{
		fmt.Sprintf("%x", part), fmt.Sprintf("% x", part), decimal, strings.ReplaceAll(decimal, " ", ","), strings.ReplaceAll(decimal, " ", ", "),
		strings.Trim(numbers[strings.Index(numbers, "{"):], "{}"), strings.ReplaceAll(fmt.Sprintf("% x", part), " 0", " "),
		string(part), strings.Trim(fmt.Sprintf("%q", part), `"`), strings.Trim(fmt.Sprintf("%+q", part), `"`),
	} {
		all = append(all, strings.ToLower(s))
	}
	return all
}

// What is printed must not hold a key, in whatever form, of whatever type that was given
// one: bare, in other values, or, of a server, a client and a peer, in fields that fmt calls
// no methods of.
func TestSecretsAreNotPrinted(t *testing.T) {
	key, challenges := GenerateKey(seeded(99)), GenerateKey(seeded(98))
	w := newWorld(t, ServerConfig{Key: key, Random: seeded(98)})
	s := w.servers[0]
	issue := func(id uint64, known ...netip.AddrPort) *ConnectToken {
		c := w.config(id)
		c.Key, c.Known = key, known
		return w.issue(c)
	}
	seated, waiting, elsewhere := issue(7), issue(8), issue(9, netip.MustParseAddrPort("192.0.2.99:1"))
	c := w.join(alice, seated)
	w.until("connected", func() bool { return c.State() == Connected && s.last != nil && s.last.Confirmed() })
	w.exchange(s, s.last, c)
	w.expect("198.51.100.8:5000", request(waiting), DropNone)
	w.expect("198.51.100.9:5000", request(elsewhere), DropElsewhere)
	asking, err := NewClient(waiting, func(netip.AddrPort, []byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}

	tokenConfig, serverConfig := TokenConfig{Key: key, Servers: []netip.AddrPort{testServer}}, ServerConfig{Key: key, AnyAddress: true}
	subjects := []any{
		key, &key, []Key{key}, map[string]Key{"k": key}, seated, *seated, []*ConnectToken{seated}, tokenConfig, &tokenConfig, serverConfig, &serverConfig,
		s.Server, *s.Server, c.Client, *c.Client, asking, *asking, s.last, *s.last,
		struct{ s *Server }{s.Server}, struct{ c *Client }{c.Client}, struct{ p *Peer }{s.last},
	}
	hidden := []any{struct{ s Server }{*s.Server}, struct{ c Client }{*c.Client}, struct{ p Peer }{*s.last}}
	secrets := map[string]Key{"the key": key, "that of challenges": challenges}
	for name, token := range map[string]*ConnectToken{"seated": seated, "waiting": waiting, "elsewhere": elsewhere} {
		secrets["to the server, "+name], secrets["to the client, "+name] = token.ClientToServer, token.ServerToClient
	}
	spelled := map[string][]string{}
	for what, k := range secrets {
		spelled[what] = spellings(k)
	}
	fit := []string{"%v", "%+v", "%#v", "%x", "% x", "%X", "%d"}
	for i, subject := range append(subjects, hidden...) {
		verbs := append(fit, "%s", "%q")
		if i >= len(subjects) {
			verbs = fit // by others fmt looks behind pointers, into the ciphers
		}
		var text bytes.Buffer
		for _, verb := range verbs {
			fmt.Fprintf(&text, verb+"\n", subject)
			fmt.Fprintf(&text, verb+"\n", struct{ Inside any }{[]any{subject}})
		}
		for _, h := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&text, nil)} {
			slog.New(h).Info("started", "subject", subject)
		}
		encoded, _ := json.Marshal(subject)
		low := strings.ToLower(text.String() + string(encoded))
		for what, forms := range spelled {
			for _, form := range forms {
				if i := strings.Index(low, form); i >= 0 {
					t.Errorf("%T shows %s: %.100s", subject, what, low[max(i-20, 0):])
				}
			}
		}
	}
}
