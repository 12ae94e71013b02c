package main

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// serveLobby runs the server until the test ends, and returns it with the URL of its lobby.
func serveLobby(t *testing.T) (server *rooms.Server, lobby string) {
	t.Helper()
	server, err := open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	seats, err := web.New(web.Config{}, rooms.Here(server))
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(seats)
	t.Cleanup(site.Close)
	return server, site.URL
}

// Clients that know only the URL of the lobby play in one room. A lobby that refuses says why.
func TestLobby(t *testing.T) {
	server, lobby := serveLobby(t)
	var rooms []string
	for player := range uint64(3) {
		c, code, err := enter(t.Context(), lobby, player+1, systems.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close(time.Now()) }()
		if rooms = append(rooms, code); code == "" || code != rooms[0] {
			t.Errorf("player %d plays in the room %q", player+1, code)
		}
	}
	server.Drain()
	if _, _, err := enter(t.Context(), lobby, 4, systems.ClientConfig{}); err == nil || !strings.Contains(err.Error(), "about to end") {
		t.Errorf("a lobby that drains answers %v", err)
	}
}
