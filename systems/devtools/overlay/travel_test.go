package overlay_test

import (
	"net/netip"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// A client that goes on in another room takes its overlay along: figures, bytes and corrections are of that room, without
// a jump where counters begin anew.
func TestOverlayTravels(t *testing.T) {
	o := newOverlay(t)
	network, now := netsys.NewNetwork(), birth.Add(time.Hour)
	key := netcode.GenerateKey(netsys.SeededRandom(1))
	var servers []*systems.Server
	var at []netip.AddrPort
	for n := range 2 {
		wire := network.Node(netip.AddrPort{})
		s, err := systems.NewServer(wire, protocol(pushed), systems.ServerConfig{Session: systems.ServerSession{Key: key, Random: netsys.SeededRandom(uint64(n) + 2)}, Start: now})
		if err != nil {
			t.Fatal(err)
		}
		servers, at = append(servers, s), append(at, wire.LocalAddr())
	}
	token := func(to int) *netcode.ConnectToken {
		x, err := netcode.TokenConfig{Key: key, ClientID: 7, Servers: at[to : to+1], Random: netsys.SeededRandom(uint64(to) + 9)}.Issue(now)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	c, err := systems.NewClient(network.Node(netip.AddrPort{}), netip.AddrPort{}, protocol(calm), systems.ClientConfig{
		Session: systems.ClientSession{
			Token: token(0),
			Reach: func(systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
				return network.Node(netip.AddrPort{}), netip.AddrPort{}, nil
			},
		}, Start: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Attach(c, nil)
	run := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); {
			now = now.Add(tick)
			for _, s := range servers {
				s.Advance(now)
			}
			c.Advance(now)
			c.Frame(now)
			o.Sample(now)
			draw(o, 1280, 720)
		}
	}
	run(5 * time.Second)
	if err := systems.HandOver(servers[0], c.ID(), systems.Ticket{Schema: strconv.FormatUint(protocol(calm).Hash(), 16), Token: token(1)}); err != nil {
		t.Fatal(err)
	}
	for c.Stats().Travels == 0 {
		run(tick)
	}
	large := regexp.MustCompile(`\d{9}`)
	for range 40 {
		run(100 * time.Millisecond)
		for _, text := range draw(o, 1920, 1080).texts() {
			if large.MatchString(text) {
				t.Errorf("a figure jumps: %q", text)
			}
		}
	}
	if p := draw(o, 1920, 1080); !p.says("Position") || p.says("nothing counted") || !p.says("kB") {
		t.Errorf("it does not show the other room: %q", p.texts())
	}
}
