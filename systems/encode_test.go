package systems

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// walks and rides have fields of all kinds that are predicted from others.
type walks struct {
	X       float32 `net:"0..2000 step 0.00390625 axis x lines 0.0625"`
	Y       float32 `net:"0..2000 step 0.00390625 axis y lines 0.0625"`
	Heading uint16  `net:"0..65280 step 256 angle along lines 512"`
}

type rides struct {
	X, Y, Z float64    `net:"-2000..2000 step 0.001953125 linear"`
	Spin    [4]float64 `net:"quat 9"`
	On      uint32     `net:"ref parent"`
}

func zoo() *ecs.Protocol {
	p := ecs.NewProtocol("zoo/1")
	ecs.Replicate[walks](p, ecs.Interpolated)
	ecs.ReplicateFields[rides](p, 0, schema.Fields{
		"X": "-2000..2000 step 0.001953125 axis x", "Y": "-2000..2000 step 0.001953125 axis y", "Z": "-2000..2000 step 0.001953125 axis z",
		"Spin": "quat 9", "On": "ref parent",
	})
	p.Authority("walk", func(w *ecs.World) {
		for e, r := range ecs.Each[struct {
			A *walks
			B *rides
		}](w) {
			draw := w.Rand(e)
			if draw.IntN(30) == 0 {
				r.A.Heading = uint16(draw.IntN(65281))
			}
			turn := float64(r.A.Heading) / 65536 * 2 * math.Pi
			r.A.X = min(max(r.A.X+float32(math.Cos(turn)), 0), 2000)
			r.A.Y = min(max(r.A.Y+float32(math.Sin(turn)), 0), 2000)
			if draw.IntN(3) == 0 {
				r.B.X, r.B.Y = r.B.X+draw.Float64(), r.B.Y-draw.Float64()
				half := draw.Float64()
				r.B.Spin = [4]float64{math.Cos(half), math.Sin(half), 0, 0}
			}
		}
	})
	return p
}

// The bytes of a block do not depend on slots that the block does not contain, neither in the state nor in the baselines,
// because the client may not see them.
func TestBlocksSayNothingOfOtherSlots(t *testing.T) {
	t.Parallel()
	g := newGame(t, zoo, ServerConfig{})
	for n := range 64 {
		g.server.World().Spawn(walks{X: float32(20 * n), Y: 700, Heading: uint16(n * 900)}, rides{X: float64(n), On: uint32(n % 9), Spin: [4]float64{1, 0, 0, 0}})
	}
	g.run(60)
	s := g.server
	for s.link.tick%3 != 0 {
		g.step()
	}
	r := rand.New(rand.NewPCG(1, 51))
	model := delta.NewModel(delta.NewLayout(wire.Tables(zoo()), 3, UsualSendRate), nil)
	f, base, base2 := s.snapshots.Newest(), s.snapshots.Frame(s.snapshots.Newest().Send-2), s.snapshots.Frame(s.snapshots.Newest().Send-3)
	disguised := func(f *frames.Frame, slots uint64) *delta.Group {
		var c delta.Group
		c.Reset(f.Send)
		for k := range delta.GroupSize {
			switch rec := f.Groups[0].Record(k); {
			case slots>>k&1 != 0:
				copy(c.Put(k, f.Groups[0].IDs[k], f.Groups[0].Masks[k], len(rec)), rec)
			case r.IntN(3) == 0:
				c.Clear(k, r.IntN(2) == 0)
			default:
				other := c.Put(k, uint32(1+r.IntN(900)), f.Groups[0].Masks[k], len(rec))
				for i := range other {
					other[i] = int32(r.IntN(90_000))
				}
			}
		}
		return &c
	}
	for _, coders := range []delta.Coders{delta.AnyCoder, delta.ZstdOnly} {
		for n := range 200 {
			slots := r.Uint64() | 1
			bodies := [2][]byte{}
			var was [2]delta.Coder
			for i := range bodies {
				e := delta.Encoder{Only: coders}
				part := delta.Part{Cur: disguised(f, slots), Slots: slots}
				if n%3 > 0 {
					part.Base = disguised(base, slots)
				}
				if n%3 > 1 {
					part.Base2 = disguised(base2, slots)
				}
				bodies[i], was[i] = e.Append(nil, model, []delta.Part{part})
			}
			if was[0] != was[1] || !bytes.Equal(bodies[0], bodies[1]) {
				t.Fatalf("coder %d, case %d: %x and %x", was[0], n, bodies[0], bodies[1])
			}
		}
	}
}

// One field of the configuration limits a server to zstd.
func TestZstdOnly(t *testing.T) {
	g, _ := crowded(t, 100, ServerConfig{Snapshots: Snapshots{Coders: 1}})
	g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.1})
	g.connect()
	g.run(300)
	if st := g.server.Stats().Snapshots; st.Range.Blocks != 0 || st.Zstd.Blocks+st.Raw.Blocks == 0 {
		t.Errorf("%+v", st)
	}
	g.mustConverge()
}
