package systems

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/printed"
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
	secrets := printed.Secrets{}
	secrets.Add("the key", key[:])
	secrets.Add("client to server", token.ClientToServer[:])
	secrets.Add("server to client", token.ServerToClient[:])
	for name, subject := range map[string]any{
		"Server": server, "Client": client, "ServerConfig": serverConfig, "ClientConfig": clientConfig,
		"*ServerConfig": &serverConfig, "*ClientConfig": &clientConfig,
	} {
		secrets.Hidden(t, name, subject, printed.Every)
	}
}
