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

// logIn asks the lab's service over HTTP for alice's token.
func (l *lab) logIn(t *testing.T) *netcode.ConnectToken {
	t.Helper()
	web := httptest.NewServer(l)
	defer web.Close()
	token, err := netcode.ParseToken(over(t, web.URL+"/token"))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// name is the player's, as the service put it into the token.
func name(userData []byte) string { return string(bytes.TrimRight(userData, "\x00")) }

// peers notes who has connected to a server of the standard.
type peers struct{ names []string }

func (p *peers) Connected(_ time.Time, peer *netcode.Peer) {
	p.names = append(p.names, name(peer.UserData()))
}
func (p *peers) Payload(time.Time, *netcode.Peer, []byte)     {}
func (p *peers) Disconnected(time.Time, *netcode.Peer, error) {}

// client is the other end's handler.
type client struct{ ended error }

func (c *client) Connected(time.Time, *netcode.Client)                      {}
func (c *client) Payload(time.Time, *netcode.Client, []byte)                {}
func (c *client) Disconnected(_ time.Time, _ *netcode.Client, reason error) { c.ended = reason }

// A client that has logged in over HTTP gets into a server that has never heard of the service, under its name.
func TestLoginReachesAServer(t *testing.T) {
	l := newLab(t, nil)
	token := l.logIn(t)
	at, from := token.Servers[0], netip.MustParseAddrPort("127.0.0.1:5000")
	var server *netcode.Server
	var player *netcode.Client
	var atServer peers
	var atClient client
	now := epoch
	// What is sent waits until the other end is served: neither end may be called back.
	var up, down [][]byte
	var err error
	server, err = netcode.NewServer(netcode.ServerConfig{Key: l.key, ProtocolID: 0x11, Addresses: []netip.AddrPort{at}},
		func(_ netip.AddrPort, b []byte) error { down = append(down, bytes.Clone(b)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	player, err = netcode.NewClient(token, func(_ netip.AddrPort, b []byte) error { up = append(up, bytes.Clone(b)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		now = now.Add(100 * time.Millisecond)
		player.Update(now, &atClient)
		server.Update(now, &atServer)
		for _, b := range up {
			server.Receive(now, from, b, &atServer)
		}
		for _, b := range down {
			player.Receive(now, at, b, &atClient)
		}
		up, down = up[:0], down[:0]
	}
	if player.State() != netcode.Connected || atClient.ended != nil {
		t.Errorf("state %v, %v; dropped %v", player.State(), atClient.ended, server.Drops())
	}
	if len(atServer.names) != 1 || atServer.names[0] != "alice" {
		t.Errorf("connected: %q", atServer.names)
	}
	for p := range server.Peers() {
		if p.ClientID() != 1 {
			t.Errorf("client id %d", p.ClientID())
		}
	}
}

// guests greets players by name, and the player hears it.
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

// The same with whole sessions: the server knows the player's name and id from the token alone.
func TestLoginReachesASession(t *testing.T) {
	l := newLab(t, nil)
	token := l.logIn(t)
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
