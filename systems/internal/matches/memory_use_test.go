package matches_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/heapuse"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// A client at rest needs at most 40 KiB on its server: it is connected, has an entity, has received the world and sends an
// input each tick, and nothing moves. docs/guide/operating.md says 30 KiB.
func TestMemoryOfAClientAtRest(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the heap")
	}
	const few, many, most = 12, 32, 40 << 10
	profile := heapuse.Begin(t)
	rest := func(clients int) heapuse.Use {
		server := atRest(t, clients)
		use := profile.Under([]string{"github.com/tactusgo/tactus/systems.(*Server)."}, inTheNetwork)
		connected := 0
		for range server.Clients {
			connected++
		}
		if connected != clients {
			t.Fatalf("%d clients of %d are connected", connected, clients)
		}
		return use
	}
	// Memory that does not depend on the number of clients is in both.
	small, large := rest(few), rest(many)
	each := (large.Bytes - small.Bytes) / (many - few)
	t.Logf("%d bytes a client:\n%s", each, large.Less(small).Table(40, many-few))
	if each < 8<<10 || each > most {
		t.Errorf("a client takes %d bytes, want at most %d", each, most)
	}
}

// inTheNetwork are the functions of the virtual network, whose memory belongs to no peer.
var inTheNetwork = []string{"github.com/tactusgo/tactus/netsys.(*Node).Send", "github.com/tactusgo/tactus/netsys.(*Conditioner).Send"}

// atRest returns a server of the plaza after 10 seconds in which the given number of clients sent neutral inputs.
func atRest(t *testing.T, clients int) *systems.Server {
	network := netsys.NewNetwork()
	now := time.Unix(0, 0).UTC()
	at := netip.MustParseAddrPort("127.0.0.1:7777")
	p := testgame.Plaza()
	server, err := systems.NewServer(network.Node(at), p, systems.ServerConfig{
		Start: now, MaxClients: clients, Session: systems.ServerSession{Random: netsys.SeededRandom(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []*systems.Client
	for n := range uint64(clients) {
		testgame.SpawnPawn(server.World(), uint32(n)+1)
		c, err := systems.NewClient(network.Node(netip.AddrPort{}), at, p, systems.ClientConfig{
			Start: now, Session: systems.ClientSession{Random: netsys.SeededRandom(n + 2)},
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for end := now.Add(10 * time.Second); now.Before(end); now = server.Next() {
		for _, c := range all {
			for !c.Next().After(now) {
				c.Advance(now)
			}
		}
		server.Advance(now)
	}
	return server
}
