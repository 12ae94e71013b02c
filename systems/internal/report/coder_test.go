package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

type (
	push  = testgame.Push
	place = testgame.Place
	shots = testgame.Shots
	tint  = testgame.Tint
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

// randomMany returns a value in its ranges.
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

// A result agrees with the world that it describes, and with a world in which each field differs by less than its tolerance
// and half a step. It does not agree if a field differs by more.
func TestResultsAgreeWithinTolerance(t *testing.T) {
	t.Parallel()
	p := testgame.Grounds(func(p *ecs.Protocol) { ecs.Replicate[many](p, ecs.Predicted) })
	table := ecs.ComponentOf[many](p).Schema
	c, r := NewCoder(p), rand.New(rand.NewPCG(1, 1))
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
	client, server := worldOf(p), worldOf(p)
	for n := range 400 {
		value := randomMany(r, table)
		for _, x := range changes {
			told := value
			x.within(&told)
			for _, off := range []bool{false, true} {
				if off {
					x.beyond(&told)
				}
				set(client, told)
				set(server, value)
				var a wire.Report
				c.List(client, 1)
				if len(c.own) != 1 || !c.Write(client, &a) {
					t.Fatalf("%d entities are the client's, or their result is too long", len(c.own))
				}
				c.List(server, 1)
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

// worldOf returns a world in which client 1 has one entity with predicted components.
func worldOf(p *ecs.Protocol) *ecs.World {
	w := ecs.NewWorld(p, ecs.Config{})
	w.Spawn(components.Owner{Client: 2}, shots{Count: 3})
	w.Spawn(components.Owner{Client: 1}, many{}, shots{Count: 5})
	w.Spawn(components.Owner{Client: 1}, tint{})
	return w
}

// set gives that entity a value.
func set(w *ecs.World, value many) {
	for _, r := range ecs.Each[struct{ Many *many }](w) {
		*r.Many = value
	}
}

// A result of other entities does not agree, whatever their values are.
func TestResultsNameTheirEntities(t *testing.T) {
	p := testgame.Plaza()
	c := NewCoder(p)
	results := map[string]int{}
	for n, w := range []*ecs.World{
		spawned(p), spawned(p, 1), spawned(p, 1, 1), spawned(p, 2, 1), spawned(p, 2, 2, 1),
	} {
		var a wire.Report
		c.List(w, 1)
		if !c.Write(w, &a) {
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

// spawned returns a world with an entity of each of these owners.
func spawned(p *ecs.Protocol, owners ...uint32) *ecs.World {
	w := ecs.NewWorld(p, ecs.Config{})
	for _, o := range owners {
		testgame.SpawnPawn(w, o)
	}
	return w
}
