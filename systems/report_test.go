package systems

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// many has a field of each kind that a predicted component can have.
type many struct {
	Bool   bool
	I16    int16      `net:"-300..300 step 7"`
	U16    uint16     `net:"0..65280 step 256 angle"`
	I32    int32      `net:"-70000..70001"`
	F32    float32    `net:"-2..3 step 0.3"`
	Wide   float64    `net:"-500..500 step 0.001 tol 0.02"`
	Turn   float32    `net:"degrees 0.7"`
	Far    float32    `net:"degrees 1 tol 30"`
	Line   float32    `net:"-64..64 step 0.0078125 lines 0.0625"`
	Raw    float32    `net:"raw"`
	Loose  float32    `net:"raw tol 0.5"`
	Mood   uint8      `net:"enum 5"`
	Keys   uint64     `net:"flags 40"`
	Dir    [2]float32 `net:"unit 10"`
	Normal [3]float32 `net:"unit 9"`
	Spin   [4]float32 `net:"quat 9"`
	N      uint8      `net:"count"`
	Slots  [3]int16   `net:"-9..9 tol 2"`
}

// randomMany is a value in its ranges.
func randomMany(r *rand.Rand, t *schema.Table) (m many) {
	words := make([]int32, t.Words)
	for k := range words {
		words[k] = int32(r.Uint32())
		if n := t.WordBits(k); n < 31 {
			words[k] &= 1<<n - 1
		}
	}
	t.Dequantize(unsafe.Pointer(&m), words, t.Words, 1)
	m.F32 += (r.Float32() - 0.5) * 0.2
	m.Turn = float32(math.Mod(float64(m.Turn+r.Float32()), 360))
	return m
}

// A result agrees with the world that it is of, and with one in which each field
// is off by less than its tolerance and a half step; it does not with one where a
// field is off by more.
func TestResultsAgreeWithinTolerance(t *testing.T) {
	t.Parallel()
	p := ecs.NewProtocol("crates/1")
	ecs.Replicate[many](p, ecs.Predicted)
	ecs.Replicate[shots](p, ecs.Predicted)
	ecs.Replicate[tint](p, 0)
	table := ecs.ComponentOf[many](p).Schema
	c, r := newResultCoder(p), rand.New(rand.NewPCG(1, 1))
	turned := func(a, d float32) float32 { return float32(math.Mod(float64(a+d)+360, 360)) }
	changes := []struct {
		name   string
		within func(m *many)
		beyond func(m *many)
	}{
		{"nothing", func(*many) {}, func(m *many) { m.Bool = !m.Bool }},
		{"a step of 7", func(m *many) { m.I16 += 3 - 6*int16(m.Mood%2) }, func(m *many) { m.I16 += 20 - 40*int16(min(max(m.I16, 0), 1)) }},
		{"a wrapping step", func(m *many) { m.U16 += 100 }, func(m *many) { m.U16 += 600 }},
		{"an exact number", func(*many) {}, func(m *many) { m.I32 ^= 1 }},
		{"a float", func(m *many) { m.F32 += 0.1 - 0.2*min(max(m.F32, 0), 1) }, func(m *many) { m.F32 += 1 - 2*float32(math.Round(float64(min(max(m.F32, 0), 1)))) }},
		{"a tolerance of 20 steps", func(m *many) { m.Wide += 0.019 - 0.038*math.Round(m.Wide/1000+0.5) }, func(m *many) { m.Wide += math.Copysign(64, -m.Wide) }},
		{"an angle", func(m *many) { m.Turn = turned(m.Turn, 0.3) }, func(m *many) { m.Turn = turned(m.Turn, 1.5) }},
		{"a wide angle", func(m *many) { m.Far = turned(m.Far, -29) }, func(m *many) { m.Far = turned(m.Far, 90) }},
		{"a raw number", func(*many) {}, func(m *many) { m.Raw = math.Nextafter32(-m.Raw, 2) }},
		{"a loose number", func(*many) {}, func(m *many) { m.Loose = -m.Loose + float32(math.Copysign(1, -float64(m.Loose))) }},
		{"flags", func(*many) {}, func(m *many) { m.Keys ^= 1 << 39 }},
		{"a direction", func(*many) {}, func(m *many) { m.Dir[0], m.Dir[1] = -m.Dir[1], m.Dir[0] }},
		{"a normal", func(*many) {}, func(m *many) { m.Normal[2], m.Normal[0], m.Normal[1] = -m.Normal[0], m.Normal[1], -m.Normal[2] }},
		{"a count", func(*many) {}, func(m *many) { m.N = (m.N + 1) % 4 }},
	}
	lucky := 0
	for n := range 400 {
		value := randomMany(r, table)
		for _, x := range changes {
			told := value
			x.within(&told)
			for _, off := range []bool{false, true} {
				if off {
					x.beyond(&told)
				}
				client := worldOf(p, told)
				server := worldOf(p, value)
				var a wire.Report
				c.list(client, 1)
				if len(c.own) != 1 || !c.write(client, &a) {
					t.Fatalf("%d entities are the client's, or their result is too long", len(c.own))
				}
				c.list(server, 1)
				same := table.Compare(unsafe.Pointer(&value), unsafe.Pointer(&told)) < 0
				agrees := c.agrees(server, c.own, a.Result)
				if agrees && off {
					if lucky++; lucky < 3 {
						continue // one in 65,536 hashes is the same by chance
					}
				}
				if agrees == off && (off || same) {
					t.Fatalf("%d, %s: agrees %v, off %v\n%+v\n%+v", n, x.name, agrees, off, told, value)
				}
				if cut := a.Result[:len(a.Result)-1]; c.agrees(server, c.own, cut) {
					t.Fatalf("%d, %s: what is cut agrees", n, x.name)
				}
				if longer := append(bytes.Clone(a.Result), 0, 0); c.agrees(server, c.own, longer) {
					t.Fatalf("%d, %s: what is too long agrees", n, x.name)
				}
			}
		}
	}
}

// worldOf is a world in which client 1 has one entity with predicted components.
func worldOf(p *ecs.Protocol, value many) *ecs.World {
	w := ecs.NewWorld(p, ecs.Config{})
	w.Spawn(components.Owner{Client: 2}, shots{3})
	w.Spawn(components.Owner{Client: 1}, value, shots{5})
	w.Spawn(components.Owner{Client: 1}, tint{})
	return w
}

// A result of other entities does not agree, whatever their values are.
func TestResultsNameTheirEntities(t *testing.T) {
	p := plaza()
	c := newResultCoder(p)
	results := map[string]int{}
	for n, w := range []*ecs.World{
		spawned(p), spawned(p, 1), spawned(p, 1, 1), spawned(p, 2, 1), spawned(p, 2, 2, 1),
	} {
		var a wire.Report
		c.list(w, 1)
		if !c.write(w, &a) {
			t.Fatal("too long")
		}
		if other, known := results[string(a.Result)]; known {
			t.Errorf("worlds %d and %d have the same result", other, n)
		}
		results[string(a.Result)] = n
		if !c.agrees(w, c.own, a.Result) {
			t.Errorf("world %d does not agree with itself", n)
		}
	}
}

// spawned is a world with a pawn of each of these owners.
func spawned(p *ecs.Protocol, owners ...uint32) *ecs.World {
	w := ecs.NewWorld(p, ecs.Config{})
	for _, o := range owners {
		spawnPawn(w, o)
		for e := range ecs.Each[struct{ At *place }](w) {
			*ecs.Get[place](w, e) = place{}
		}
	}
	return w
}

// What a server can be told about results makes no difference to its world, and
// costs it no more bytes than own state in every snapshot: not that all is well,
// nor that nothing is, nor noise, nor to be asked for ever.
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
	var model *resultCoder // of a client that can do it
	var world *ecs.World
	lies := map[string]func(g *game, i *intruder) wire.Report{
		"agrees": func(g *game, i *intruder) wire.Report {
			a := wire.Report{}
			if len(g.server.sessions.peers) > 0 {
				a.Echo = g.server.sessions.peers[0].judge.number
			}
			model.list(world, i.id)
			model.write(world, &a)
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
	play := func(name string, policies policy.Policies, lie func(g *game, i *intruder) wire.Report) {
		g := newGame(t, plaza, ServerConfig{Seed: 4, Join: spawnPawn, Policies: policies})
		i := g.intrude()
		model, world = newResultCoder(g.protocol()), ecs.NewWorld(g.protocol(), ecs.Config{})
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
	play("LocalSync", policy.LocalSync.Policies(), nil)
	for name, lie := range lies {
		play(name, policy.CorrectOnMismatch.Policies(), lie)
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

// A client that holds more than a result tells of is corrected as under LocalSync.
func TestHugeOwnStateIsAskedFor(t *testing.T) {
	protocol := func() *ecs.Protocol {
		p := ecs.NewProtocol("hoard/1")
		ecs.Replicate[place](p, ecs.Predicted)
		ecs.Input[push](p)
		return p
	}
	g := newGame(t, protocol, ServerConfig{Policies: policy.CorrectOnMismatch.Policies(), Budget: 8 << 10, Join: func(w *ecs.World, client uint32) {
		for n := range 8*wire.MaxResult/4 + 1 {
			w.Spawn(components.Owner{Client: client}, place{X: float32(n) / 4}, push{})
		}
	}})
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

// A snapshot of LocalSync has neither a correction nor agrees, and a client refuses
// one that has.
func TestCorrectionsOnlyWhereTheyAre(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(20)
	for _, h := range []wire.SnapshotHeader{{Open: true, Number: 1}, {Agreed: true}} {
		h.Send = uint16(c.mirror.newestSend + 1)
		if err := c.readSnapshot(g.now, wire.AppendSnapshotHeader(nil, &h)); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", h, err)
		}
	}
	var r = &c.decode.reader
	for _, h := range []wire.SnapshotHeader{{Open: true, Number: wire.Corrections}, {Open: true, Agreed: true}} {
		r.Reset(wire.AppendSnapshotHeader(nil, &h))
		if _, err := wire.ReadSnapshotHeader(r); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

// Where results are compared and corrections made, nothing allocates.
func TestAdviceAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn, Policies: policy.CorrectOnMismatch.Policies()})
	for range 3 {
		g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 5 * testTick})
	}
	g.connect()
	tick := func() {
		g.step()
		if g.server.Tick()%40 == 0 {
			for _, r := range ecs.Each[pawn](g.server.World()) {
				r.At.X += 2
			}
		}
	}
	for range 3000 {
		tick()
	}
	before := g.server.Stats().Reports
	if n := testing.AllocsPerRun(1, func() {
		for range 600 {
			tick()
		}
	}); n != 0 {
		t.Errorf("%v allocations in 600 ticks", n)
	}
	if st := g.server.Stats().Reports; st.Corrections-before.Corrections < 60 || st.Agreed-before.Agreed < 1000 {
		t.Errorf("too little happened: %+v, before %+v", st, before)
	}
}

// Whatever comes in place of inputs with advice is refused or means something, and
// what is read of it can be judged.
func FuzzReadAdvice(f *testing.F) {
	p := plaza()
	table := p.Input().Schema
	w := spawned(p, 1)
	results := newResultCoder(p)
	results.list(w, 1)
	m := wire.Input{Newest: 7, Count: 2, Words: make([]int32, 2*table.Words)}
	results.write(w, &m.Report)
	writer := wire.NewInputCoder(table)
	writer.Reported = true
	f.Add(writer.Append(nil, &m, 0, nil))
	m.Report.Asks = true
	f.Add(writer.Append(nil, &m, 0, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		coder, bases := wire.NewInputCoder(table), wire.NewInputBases(table.Words)
		coder.Reported = true
		base := wire.Input{Newest: 5, Count: 1, Words: make([]int32, table.Words)}
		coder.Start(base.Words)
		bases.Put(0, &base, coder.State)
		var m wire.Input
		if err := coder.Read(b, &m, 3, bases); err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		if len(m.Report.Result) > wire.MaxResult+1 || m.Report.Echo >= wire.Corrections || m.Report.Asks && m.Report.Bits > 0 {
			t.Fatalf("%+v", m.Report)
		}
		results.list(w, 1)
		a := newJudge()
		a.own = results.own
		a.take(9, &m.Report)
		r := &a.results[9]
		var st ReportStats
		a.judge(r, !r.asks && results.agrees(w, a.own, r.result), &st)
		if again := writer.Append(nil, &m, 3, nil); m.Report.Asks {
			var back wire.Input
			if err := coder.Read(again, &back, 3, bases); err != nil || fmt.Sprint(back) != fmt.Sprint(m) {
				t.Fatalf("%+v came back as %+v: %v", m, back, err)
			}
		}
	})
}
