package netcode

import (
	"net/netip"
	"testing"

	"github.com/tactusgo/tactus/internal/printed"
)

// Printing a value never shows a key, whatever the verb: neither a bare key nor one within other values, and not the fields of
// a server, client or peer on which fmt calls no methods.
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
	must(t, err)

	tokenConfig, serverConfig := TokenConfig{Key: key, Servers: []netip.AddrPort{testServer}}, ServerConfig{Key: key, AnyAddress: true}
	subjects := []any{
		key, &key, []Key{key}, map[string]Key{"k": key}, seated, *seated, []*ConnectToken{seated}, tokenConfig, &tokenConfig, serverConfig, &serverConfig,
		s.Server, *s.Server, c.Client, *c.Client, asking, *asking, s.last, *s.last,
		struct{ s *Server }{s.Server}, struct{ c *Client }{c.Client}, struct{ p *Peer }{s.last},
	}
	hidden := []any{struct{ s Server }{*s.Server}, struct{ c Client }{*c.Client}, struct{ p Peer }{*s.last}}
	secrets := printed.Secrets{}
	secrets.Add("the key", key[:])
	secrets.Add("that of challenges", challenges[:])
	for name, token := range map[string]*ConnectToken{"seated": seated, "waiting": waiting, "elsewhere": elsewhere} {
		secrets.Add("to the server, "+name, token.ClientToServer[:])
		secrets.Add("to the client, "+name, token.ServerToClient[:])
	}
	for _, subject := range subjects {
		secrets.Hidden(t, "printed", subject, printed.Every)
	}
	for _, subject := range hidden {
		secrets.Hidden(t, "hidden", subject, printed.Fit)
	}
}
