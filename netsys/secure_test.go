package netsys

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// at is a wire that says that it has some other address.
type at struct {
	Wire
	addr netip.AddrPort
}

// several listens at several.
type several struct {
	at
	all []netip.AddrPort
}

func (w several) LocalAddrs() []netip.AddrPort { return w.all }

func (w at) LocalAddr() netip.AddrPort { return w.addr }

func conditioned(t *testing.T, w Wire) Wire {
	c := condition(t, w, ConditionerConfig{})
	return c
}

// Without a key, servers and clients refuse addresses of other machines, unless InsecureAllowAnyAddress is set.
func TestDevelopmentModeStaysAtHome(t *testing.T) {
	public, loopback := netip.MustParseAddrPort("192.0.2.1:7777"), netip.MustParseAddrPort("[::1]:7777")
	key := netcode.GenerateKey(SeededRandom(1))
	node := func() *Node { return NewNetwork().Node(netip.AddrPort{}) }
	for _, test := range []struct {
		name   string
		wire   Wire
		config ServerConfig
		ok     bool
	}{
		{"loopback", at{node(), loopback}, ServerConfig{}, true},
		{"everywhere", at{node(), netip.MustParseAddrPort("0.0.0.0:7777")}, ServerConfig{}, false},
		{"public", at{node(), public}, ServerConfig{}, false},
		{"virtual", NewNetwork().Node(public), ServerConfig{}, true},
		{"WebSocket elsewhere", several{at{node(), loopback}, []netip.AddrPort{loopback, public}}, ServerConfig{}, false},
		{"several here", several{at{node(), loopback}, []netip.AddrPort{loopback, loopback, loopback}}, ServerConfig{}, true},
		{"conditioned", conditioned(t, at{node(), public}), ServerConfig{}, false},
		{"the known key", at{node(), public}, ServerConfig{Key: DevelopmentKey()}, false},
		{"flag", at{node(), public}, ServerConfig{InsecureAllowAnyAddress: true}, true},
		{"key", at{node(), public}, ServerConfig{Key: key}, true},
	} {
		if _, err := NewServer(test.wire, test.config); (err == nil) != test.ok || err != nil && !errors.Is(err, ErrInsecure) {
			t.Errorf("server, %s: %v", test.name, err)
		}
	}
	token := issue(t, key, 5, epoch, public)
	for _, test := range []struct {
		name   string
		wire   Wire
		server netip.AddrPort
		config ClientConfig
		ok     bool
	}{
		{"loopback", at{node(), loopback}, loopback, ClientConfig{}, true},
		{"public", at{node(), loopback}, public, ClientConfig{}, false},
		{"virtual", node(), public, ClientConfig{}, true},
		{"flag", at{node(), loopback}, public, ClientConfig{InsecureAllowAnyAddress: true}, true},
		{"token", at{node(), loopback}, public, ClientConfig{Token: token}, true},
	} {
		if _, err := NewClient(test.wire, test.server, test.config); (err == nil) != test.ok || err != nil && !errors.Is(err, ErrInsecure) {
			t.Errorf("client, %s: %v", test.name, err)
		}
	}
	if _, err := NewClient(node(), netip.AddrPort{}, ClientConfig{}); err == nil {
		t.Error("a client without address and token")
	}
	if _, err := NewClient(node(), netip.AddrPort{}, ClientConfig{Token: &netcode.ConnectToken{}}); !errors.Is(err, netcode.ErrToken) {
		t.Errorf("an empty token: %v", err)
	}
	if _, err := NewServer(at{node(), netip.MustParseAddrPort("0.0.0.0:7777")}, ServerConfig{Key: key}); err == nil || !strings.Contains(err.Error(), "Addresses") {
		t.Errorf("a server that tokens cannot name: %v", err)
	}
	if k := DevelopmentKey(); k == (netcode.Key{}) || k[31] == 0 {
		t.Error("the development key is short")
	}
}

// Without Addresses, a server with a key accepts tokens for all addresses of its wire.
func TestTokensForWhereTheWireListens(t *testing.T) {
	key := netcode.GenerateKey(SeededRandom(1))
	udp, ws := netip.MustParseAddrPort("192.0.2.7:7777"), netip.MustParseAddrPort("192.0.2.7:8080")
	wire := conditioned(t, several{at{NewNetwork().Node(netip.AddrPort{}), udp}, []netip.AddrPort{udp, ws}})
	c, err := ServerConfig{Key: key}.netcodeConfig(wire)
	must(t, err)
	if !slices.Equal(c.Addresses, []netip.AddrPort{udp, ws}) {
		t.Errorf("tokens may name %v", c.Addresses)
	}
	if _, err := (ServerConfig{Key: key}).netcodeConfig(several{at{wire, udp}, []netip.AddrPort{udp, netip.MustParseAddrPort("[::]:8080")}}); err == nil || !strings.Contains(err.Error(), "Addresses") {
		t.Errorf("a WebSocket that tokens cannot name: %v", err)
	}
}

// issue makes a token as a login service does.
func issue(t testing.TB, key netcode.Key, clientID uint64, now time.Time, servers ...netip.AddrPort) *netcode.ConnectToken {
	t.Helper()
	token, err := netcode.TokenConfig{
		Key: key, ClientID: clientID, Servers: servers, UserData: []byte("Ada"),
		Random: SeededRandom(clientID + uint64(now.Unix())),
	}.Issue(now)
	must(t, err)
	return token
}

// With a key, the token decides the player's identity.
func TestTokens(t *testing.T) {
	key := netcode.GenerateKey(SeededRandom(1))
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 49152)
	m := newMatch(t, matchConfig{
		server: ServerConfig{Key: key, ID: func(s Session) uint64 { return s.ClientID() + 1000 }},
		client: ClientConfig{Token: issue(t, key, 42, epoch, address)},
	}).connect()
	s := m.atServer.last
	if s.ClientID() != 42 || string(s.UserData()[:4]) != "Ada\x00" || len(s.UserData()) != netcode.UserDataSize || s.ID() != 1042 {
		t.Errorf("client %d, user data %q, id %d", s.ClientID(), s.UserData(), s.ID())
	}
	if c := m.client.Session(); c.ID() != 1042 || c.ClientID() != 0 || c.UserData() != nil || c.RemoteAddr() != address {
		t.Errorf("at the client: id %d, client %d, %v", c.ID(), c.ClientID(), c.RemoteAddr())
	}
}

// A client tries the addresses of its token in turn, unless it gets the address of the server.
func TestTokenOfSeveralServers(t *testing.T) {
	key := netcode.GenerateKey(SeededRandom(1))
	network := NewNetwork()
	node := network.Node(netip.AddrPort{})
	server := serverOn(t, node, ServerConfig{Key: key, Random: SeededRandom(3)})
	nobody := netip.MustParseAddrPort("10.0.0.1:7")
	run := func(to netip.AddrPort, clientID uint64, limit int) *Client {
		c := clientOn(t, network.Node(netip.AddrPort{}), to, ClientConfig{Token: issue(t, key, clientID, epoch, nobody, node.LocalAddr())})
		var h log
		for i := range limit {
			now := epoch.Add(time.Duration(i) * 20 * time.Millisecond)
			c.Poll(now, &h)
			server.Poll(now, &log{})
		}
		if !c.Connected() || c.Session().RemoteAddr() != node.LocalAddr() {
			t.Errorf("connected to %v by %v: %v", c.Session().RemoteAddr(), to, h.reason)
		}
		return c
	}
	run(node.LocalAddr(), 1, 20)
	run(netip.AddrPort{}, 2, 600)
}

// A handshake that takes longer than the server allows ends with a timeout, after which a client may try again.
func TestSlowHandshake(t *testing.T) {
	m := newMatch(t, matchConfig{client: ClientConfig{ConnectTimeout: time.Minute}})
	m.links(Link{Latency: 5300 * time.Millisecond})
	m.until("the client gives up", func() bool { return m.atClient.reason != nil })
	if r := m.atClient.reason; !errors.Is(r, ErrTimeout) || !MayReconnect(r) {
		t.Errorf("got %v, want ErrTimeout", r)
	}
}

// A client whose round trip is shorter than the default Timeout connects.
func TestHandshakeOverASlowLink(t *testing.T) {
	newMatch(t, matchConfig{
		link:   Link{Latency: 4 * time.Second, Jitter: 500 * time.Millisecond, Loss: 0.05},
		client: ClientConfig{ConnectTimeout: time.Minute, Timeout: time.Minute},
	}).connect()
}

// A client that falls silent during the handshake loses its slot, before a hello and after the welcome.
func TestSlotIsNotKeptBySilence(t *testing.T) {
	for _, answered := range []bool{false, true} {
		m := newMatch(t, matchConfig{server: ServerConfig{MaxClients: 1}})
		if !answered {
			m.client.hello = []byte{kindHello, WireVersion} // which is none
		}
		m.until("the server takes note", func() bool { return len(m.server.guests) == 1 && (!answered || m.server.guests[0].state == welcomed) })
		if answered {
			m.links(Link{Loss: 1})
		}
		start := m.now
		m.until("the slot is free", func() bool { return len(m.server.guests) == 0 })
		if after := m.now.Sub(start); answered && (after < handshakeTimeout-time.Second || after > handshakeTimeout+time.Second) {
			t.Errorf("forgotten after %v", after)
		}
		if m.atServer.connected+m.atServer.disconnected != 0 || m.server.netcode.Len() != 0 {
			t.Errorf("%+v, %d slots taken", m.atServer, m.server.netcode.Len())
		}
	}
}
