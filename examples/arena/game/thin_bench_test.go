package game_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// BenchmarkBotTick measures a tick of a bot with a full client, and one with a thin client, in the same match: the cost of
// each, and their ratio.
func BenchmarkBotTick(b *testing.B) {
	const each = 4
	network, now := netsys.NewNetwork(), time.Unix(0, 0)
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	config := systems.ServerConfig{Start: now}
	game.Arm(&config)
	server, err := systems.NewServer(network.Node(address), game.CombatProtocol(), config)
	if err != nil {
		b.Fatal(err)
	}
	game.PopulateCombat(server.World(), 2*each, 100)
	var clients []*systems.Client
	for n := range 2 * each {
		g := game.NewGunner(1, n, 2*each)
		config := systems.ClientConfig{Start: now, Gather: g.Gather()}
		if n >= each {
			config.Schedule = systems.Thin
		}
		link := netsys.Link{Latency: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02}
		wire, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(n), In: link, Out: link})
		if err != nil {
			b.Fatal(err)
		}
		c, err := systems.NewClient(wire, address, game.CombatProtocol(), config)
		if err != nil {
			b.Fatal(err)
		}
		clients = append(clients, c)
	}
	var spent [2]time.Duration
	tick := func() {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		for n, c := range clients {
			begin := time.Now()
			c.Advance(now)
			c.Frame(now)
			spent[n/each] += time.Since(begin)
		}
	}
	for range 600 {
		tick()
	}
	spent = [2]time.Duration{}
	b.ResetTimer()
	for b.Loop() {
		tick()
	}
	ns := func(kind int) float64 { return float64(spent[kind]) / float64(b.N) / each }
	b.ReportMetric(ns(0), "full-ns/tick")
	b.ReportMetric(ns(1), "thin-ns/tick")
	b.ReportMetric(ns(1)/ns(0), "thin/full")
}
