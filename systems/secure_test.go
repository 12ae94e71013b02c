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
