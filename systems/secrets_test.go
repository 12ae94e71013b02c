package systems

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// Printing or logging a server, a client or their configurations does not reveal a key.
func TestSecretsNotLogged(t *testing.T) {
	key := netcode.GenerateKey(netsys.SeededRandom(1))
	network, address := netsys.NewNetwork(), netip.MustParseAddrPort("192.0.2.1:4000")
	token, err := netcode.TokenConfig{Key: key, Servers: []netip.AddrPort{address}, Random: netsys.SeededRandom(2)}.Issue(time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	serverConfig, clientConfig := ServerConfig{Session: ServerSession{Key: key}}, ClientConfig{Session: ClientSession{Token: token}}
	server, err := NewServer(network.Node(address), plaza(), serverConfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(network.Node(netip.AddrPort{}), address, plaza(), clientConfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range []any{server, client, serverConfig, clientConfig, &serverConfig, &clientConfig} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb, subject)
			fmt.Fprintf(&out, verb, struct{ Inside any }{subject})
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("started", "subject", subject)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("started", "subject", subject)
		for _, secret := range []netcode.Key{key, token.ClientToServer, token.ServerToClient} {
			some := [4]byte(secret[8:])
			for _, text := range []string{
				strings.Trim(fmt.Sprint(some), "[]"), strings.Trim(strings.TrimPrefix(fmt.Sprintf("%#v", some[:]), "[]byte"), "{}"), fmt.Sprintf("%x", some), string(some[:]),
			} {
				if strings.Contains(out.String(), text) {
					t.Errorf("%T shows a key", subject)
				}
			}
		}
	}
}
