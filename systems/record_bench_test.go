package systems

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/recording"
)

// busyGame returns a match of walking players and 200 other moving entities.
func busyGame(tb testing.TB, players int, c ServerConfig) *game {
	protocol := joining(func() *ecs.Protocol {
		p := plaza()
		p.Authority("wander", func(w *ecs.World) {
			for _, r := range ecs.Each[struct {
				At   *place
				Tint *tint
			}](w) {
				r.At.X = min(max(r.At.X+float32(int(w.Tick()/30+uint32(r.Tint.Color))%3-1)/8, -500), 500)
			}
		})
		return p
	}, spawnPawn)
	c.MaxClients, c.Seed = players, 1
	g := newGame(tb, protocol, c)
	for n := range 200 {
		g.server.World().Spawn(place{X: float32(n)}, tint{uint8(n)})
	}
	client := ClientConfig{Gather: gatherPush(), Schedule: Thin}
	if c.Model != nil && policy.TraitsOf(c.Model).RelaysInputs {
		client.Schedule = nil
	}
	for range players {
		g.join(client, netsys.Link{Latency: 40 * time.Millisecond})
	}
	g.blind = true
	g.connect().run(120)
	return g
}

// serverTime runs the match and measures the server.
func (g *game) serverTime(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		g.server.Advance(g.now.Add(testTick))
		b.StopTimer()
		g.now = g.now.Add(testTick)
		for _, c := range g.clients {
			c.Advance(g.now)
		}
		b.StartTimer()
	}
}

// BenchmarkRecord measures a tick of a server with 100 players, 200 other entities and a recorder.
func BenchmarkRecord(b *testing.B) {
	for _, records := range []bool{false, true} {
		b.Run(fmt.Sprintf("recorder=%v", records), func(b *testing.B) {
			g := busyGame(b, 100, ServerConfig{})
			if records {
				if err := g.server.Record(recording.NewWriter(io.Discard, recording.Config{}), 0); err != nil {
					b.Fatal(err)
				}
				g.run(60)
			}
			g.serverTime(b)
		})
	}
}

// BenchmarkSpectators measures a tick of a server with 10 players, 200 other entities and connected spectators.
func BenchmarkSpectators(b *testing.B) {
	for _, n := range []int{0, 1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("spectators=%d", n), func(b *testing.B) {
			g := busyGame(b, 10, ServerConfig{Players: Players{Spectators: n}})
			for range n {
				g.join(ClientConfig{Spectate: true, Schedule: Thin}, netsys.Link{Latency: 40 * time.Millisecond})
			}
			g.connect().run(120)
			before := g.server.Stats().Encodes
			ticks := g.server.Tick()
			g.serverTime(b)
			after := g.server.Stats().Encodes
			b.ReportMetric(float64(after.Blocks-before.Blocks)/float64(g.server.Tick()-ticks)*3, "encodes/send")
			if n > 0 {
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/spectator")
			}
		})
	}
}

// A recorder allocates nothing between two segments.
func TestRecorderAllocatesNothing(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.Rollback{}} {
		t.Run(model.String(), func(t *testing.T) { recorderAllocatesNothing(t, model) })
	}
}

func recorderAllocatesNothing(t *testing.T, model policy.Model) {
	g := busyGame(t, 4, ServerConfig{Model: model})
	count := func() float64 {
		g.run(30)
		return testing.AllocsPerRun(200, func() {
			g.now = g.now.Add(testTick)
			g.server.Advance(g.now)
			for _, c := range g.clients {
				c.Advance(g.now)
			}
		})
	}
	without := count()
	if err := g.server.Record(recording.NewWriter(io.Discard, recording.Config{Interval: time.Hour}), 0); err != nil {
		t.Fatal(err)
	}
	g.run(600) // its buffers grow
	if with := count(); with > without+0.1 {
		t.Errorf("%v allocations a tick, without a recorder %v", with, without)
	}
}
