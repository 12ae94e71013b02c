package systems

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// On a server with a key, a client with a token of the login service plays as the player in the token. Other clients get no
// answer.
func TestTokens(t *testing.T) {
	key := netcode.GenerateKey(netsys.SeededRandom(1))
	addr := netip.MustParseAddrPort("10.0.0.1:7777")
	token := func(player uint64, key netcode.Key) *netcode.ConnectToken {
		token, err := netcode.TokenConfig{
			Key: key, ProtocolID: 99, ClientID: player, Servers: []netip.AddrPort{addr}, UserData: []byte("seven"),
			Random: netsys.SeededRandom(player),
		}.Issue(birth)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	g := &game{t: t, now: birth, network: netsys.NewNetwork(), protocol: peopled}
	var err error
	g.server, err = NewServer(g.network.Node(addr), peopled(), ServerConfig{
		Session: ServerSession{Key: key, ProtocolID: 99, Random: netsys.SeededRandom(2)}, Start: birth,
	})
	if err != nil {
		t.Fatal(err)
	}
	honest := g.join(ClientConfig{Session: ClientSession{Token: token(7, key)}, Gather: gatherPush()}, netsys.Link{}) // to where the token says
	forged := g.join(ClientConfig{Session: ClientSession{Token: token(8, netcode.GenerateKey(netsys.SeededRandom(3))), Timeout: 2 * time.Second}}, netsys.Link{})
	g.addr = addr
	other := g.join(ClientConfig{Session: ClientSession{Timeout: 2 * time.Second, ProtocolID: 99}}, netsys.Link{})

	g.run(200)
	if !honest.Connected() {
		t.Fatal(honest.Err())
	}
	s := g.server.Session(honest.ID())
	if s.ClientID() != 7 || string(s.UserData()[:5]) != "seven" || g.server.sessions.peers.Len() != 1 {
		t.Errorf("player %d, %q, %d clients", s.ClientID(), s.UserData()[:5], g.server.sessions.peers.Len())
	}
	for _, c := range []*Client{forged, other} {
		if !errors.Is(c.Err(), netsys.ErrTimeout) {
			t.Errorf("without a token of this service: %v", c.Err())
		}
	}
}

// Without keys, NewServer refuses addresses that other machines can reach, and NewClient refuses servers on other machines,
// unless this is explicitly allowed.
func TestDevelopmentModeStaysAtHome(t *testing.T) {
	wire, err := netsys.ListenUDP("0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Close()
	if _, err := NewServer(wire, plaza(), ServerConfig{}); !errors.Is(err, netsys.ErrInsecure) {
		t.Errorf("a server for everybody: %v", err)
	}
	if _, err := NewServer(wire, plaza(), ServerConfig{Session: ServerSession{InsecureAllowAnyAddress: true}}); err != nil {
		t.Error(err)
	}
	elsewhere := netip.MustParseAddrPort("192.0.2.1:7777")
	if _, err := NewClient(wire, elsewhere, plaza(), ClientConfig{}); !errors.Is(err, netsys.ErrInsecure) {
		t.Errorf("a client of a server elsewhere: %v", err)
	}
	if _, err := NewClient(wire, elsewhere, plaza(), ClientConfig{Session: ClientSession{InsecureAllowAnyAddress: true}}); err != nil {
		t.Error(err)
	}
}

// Dial without an address connects to the addresses in the token.
func TestDialByToken(t *testing.T) {
	key := netcode.GenerateKey(nil)
	l := serve(t, ServerConfig{Session: ServerSession{Key: key}})
	token, err := netcode.TokenConfig{
		Key: key, ClientID: 5, Servers: []netip.AddrPort{netip.MustParseAddrPort(l.addr)},
	}.Issue(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	defer cancel()
	c, err := Dial(ctx, "", peopled(), ClientConfig{Session: ClientSession{Token: token}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(time.Now()); err != nil {
		t.Error(err)
	}
}
