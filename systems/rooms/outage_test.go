package rooms

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// A client that can renew its token plays again after an outage as long as its seat waits, however many tokens expire meanwhile.
func TestLongOutage(t *testing.T) {
	kind := fields(2)
	kind.Grace = 5 * time.Minute
	h := newHouse(t, Config{Kinds: []Kind{kind}, Promise: 5 * time.Second})
	h.entered("field", 1) // keeps the room
	a, renewed := h.join("field", 2), 0
	wire := h.net.Node(netip.AddrPort{})
	c, err := systems.NewClient(wire, netip.AddrPort{}, field(), systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token, Reconnect: true, Renew: func() (*netcode.ConnectToken, error) {
			renewed++
			b, err := h.server.Room(a.Seat.Room).Reconnect(Player{ID: 2})
			return b.Token, err
		}},
		Start: h.now, Gather: systems.Gather(func(*systems.Client, *push) {}),
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &player{Client: c, id: 2, wire: wire}
	h.players = append(h.players, p)
	h.until("in the game", p.playing)
	h.down = true
	h.run(90 * time.Second)
	h.down = false
	h.until("in the game again", func() bool { return p.Err() != nil || p.Connected() })
	if p.Err() != nil || renewed < 3 {
		t.Errorf("after an outage of 90 s and %d tokens: %v", renewed, p.Err())
	}
}
