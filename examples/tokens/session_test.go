package main

import (
	"bytes"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// name is the player's, as the service put it into the token.
func name(userData []byte) string { return string(bytes.TrimRight(userData, "\x00")) }

// guests greets players by name, and records names and greetings.
type guests struct{ names, heard []string }

func (g *guests) Connected(now time.Time, s netsys.Session) {
	if s.UserData() != nil { // on the server
		g.names = append(g.names, name(s.UserData()))
		_, _ = s.Send(now, []byte("hello, "+name(s.UserData())))
	}
}
func (g *guests) Received(_ time.Time, _ netsys.Session, p netsys.Packet) {
	g.heard = append(g.heard, string(p.Data))
}
func (g *guests) Message(time.Time, netsys.Session, int, []byte) {}
func (g *guests) Acked(netsys.Session, uint16)                   {}
func (g *guests) Disconnected(time.Time, netsys.Session, error)  {}

// A client that has logged in over HTTP connects to a server that does not know the service. The server knows the player's
// name and id from the token alone.
func TestLoginReachesASession(t *testing.T) {
	l := newLab(t, nil)
	web := httptest.NewServer(l)
	defer web.Close()
	token, err := netcode.ParseToken(over(t, web.URL+"/token"))
	if err != nil {
		t.Fatal(err)
	}
	network := netsys.NewNetwork()
	server, err := netsys.NewServer(network.Node(token.Servers[0]), netsys.ServerConfig{Key: l.key, ProtocolID: 0x11})
	if err != nil {
		t.Fatal(err)
	}
	player, err := netsys.NewClient(network.Node(netip.AddrPort{}), netip.AddrPort{}, netsys.ClientConfig{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	var atServer, atPlayer guests
	for now := epoch; now.Before(epoch.Add(3 * time.Second)); now = now.Add(time.Second / 60) {
		player.Poll(now, &atPlayer)
		server.Poll(now, &atServer)
	}
	if !player.Connected() || len(atServer.names) != 1 || atServer.names[0] != "alice" {
		t.Errorf("connected: %q; dropped %v", atServer.names, server.DatagramDrops())
	}
	if len(atPlayer.heard) != 1 || atPlayer.heard[0] != "hello, alice" {
		t.Errorf("the player heard %q", atPlayer.heard)
	}
	for s := range server.Sessions() {
		if s.ClientID() != 1 {
			t.Errorf("client id %d", s.ClientID())
		}
	}
}
