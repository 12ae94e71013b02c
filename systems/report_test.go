package systems

import (
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// False results of a client do not change the server's world, and cost at most as many bytes as owner state in every snapshot:
// always agreeing, never agreeing, noise, or endless requests.
func TestNetcodeD3_TrustIsNowhere(t *testing.T) {
	const ticks = 900
	r := rand.New(rand.NewPCG(5, 1))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	var model *report.Coder // of a client that can do it
	var world *ecs.World
	lies := map[string]func(g *game, i *intruder) wire.Report{
		"agrees": func(g *game, i *intruder) wire.Report {
			a := wire.Report{}
			if g.server.sessions.peers.Len() > 0 {
				var h wire.SnapshotHeader
				g.server.sessions.peers.All()[0].report.Header(&h)
				a.Echo = h.Number
			}
			model.List(world, i.id)
			model.Write(world, &a)
			return a
		},
		"disagrees": func(*game, *intruder) wire.Report { return wire.Report{Result: []byte{1, 2, 3}, Bits: 24} },
		"noise": func(*game, *intruder) wire.Report {
			n := 2 + r.IntN(wire.MaxResult-2)
			return wire.Report{Echo: uint8(r.IntN(wire.Corrections)), Result: noise(n), Bits: 8 * n}
		},
		"asks": func(*game, *intruder) wire.Report { return wire.Report{Asks: true} },
	}
	hashes := map[string][]uint64{}
	own := map[string]uint64{}
	play := func(name string, policies policy.Model, lie func(g *game, i *intruder) wire.Report) {
		g := newGame(t, peopled, ServerConfig{Seed: 4, Model: policies})
		i := g.intrude()
		model, world = report.NewCoder(g.protocol()), ecs.NewWorld(g.protocol(), ecs.Config{})
		spawnPawn(world, i.id)
		for n := range ticks {
			in := push{DX: int8(n / 30 % 3), DY: 1}
			in.DX--
			m := wire.Input{Newest: uint16(n + 1), Count: 1, Words: make([]int32, 3)}
			table := g.server.protocol.Input().Schema
			table.Quantize(m.Words, table.Words, unsafe.Pointer(&in), 1)
			world.Netcode().GiveInput(i.id, unsafe.Pointer(&in))
			world.Netcode().SimulateStage().Run(world)
			coder := wire.NewInputCoder(table)
			if lie != nil {
				coder.Reported, m.Report = true, lie(g, i)
			}
			i.send(coder.Append(nil, &m, 0, nil))
			i.tick()
			hashes[name] = append(hashes[name], g.server.World().Hash())
		}
		st := g.server.Stats()
		own[name] = st.Snapshots.Own
		if st.MalformedMessages != 0 {
			t.Errorf("%s: %d messages refused", name, st.MalformedMessages)
		}
		if name == "agrees" && st.Reports.Agreed < ticks/2 {
			t.Errorf("%s: %+v", name, st.Reports)
		}
	}
	play("LocalSync", policy.LocalSync{}, nil)
	for name, lie := range lies {
		play(name, policy.CorrectOnMismatch{}, lie)
		for n := range hashes[name] {
			if hashes[name][n] != hashes["LocalSync"][n] {
				t.Fatalf("%s: the server's world differs after tick %d", name, n)
			}
		}
		if own[name] > own["LocalSync"] {
			t.Errorf("%s: %d bytes of own state, %d under LocalSync", name, own[name], own["LocalSync"])
		}
		if (own[name] < own["LocalSync"]/4) != (name == "agrees") {
			t.Errorf("%s: %d bytes of own state, %d under LocalSync", name, own[name], own["LocalSync"])
		}
	}
}

// A client with more state than a result holds is corrected as under LocalSync.
func TestHugeOwnStateIsAskedFor(t *testing.T) {
	t.Parallel()
	g := newGame(t, joining(plaza, func(w *ecs.World, client uint32) {
		for n := range 8*wire.MaxResult/4 + 1 {
			w.Spawn(components.Owner{Client: client}, place{X: float32(n) / 4}, push{})
		}
	}), ServerConfig{Model: policy.CorrectOnMismatch{}, Snapshots: Snapshots{Budget: 8 << 10}})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(120)
	before := g.server.Stats()
	g.run(120)
	after := g.server.Stats()
	if after.Snapshots.Own == before.Snapshots.Own || after.Reports.Asked-before.Reports.Asked < 100 || c.Stats().ReportBits != 0 {
		t.Errorf("%d bytes of own state for %+v", after.Snapshots.Own-before.Snapshots.Own, after.Reports)
	}
	for e := range ecs.Each[struct{ At *place }](g.server.World()) {
		ecs.Get[place](g.server.World(), e).Y += 3
	}
	g.mustConverge()
	if n := c.Stats().Corrections; n == 0 {
		t.Error("nothing was corrected")
	}
}

// A snapshot under LocalSync contains no fields about corrections, and a client refuses one that does.
func TestCorrectionsOnlyWhereTheyAre(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(20)
	for _, h := range []wire.SnapshotHeader{{Open: true, Number: 1}, {Agreed: true}} {
		h.Send = uint16(c.mirror.Newest.Send + 1)
		if _, err := c.mirror.Receive(wire.AppendSnapshotHeader(nil, &h), 0); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", h, err)
		}
	}
	var r codec.ByteReader
	for _, h := range []wire.SnapshotHeader{{Open: true, Number: wire.Corrections}, {Open: true, Agreed: true}} {
		r.Reset(wire.AppendSnapshotHeader(nil, &h))
		if _, err := wire.ReadSnapshotHeader(&r); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", h, err)
		}
	}
}
