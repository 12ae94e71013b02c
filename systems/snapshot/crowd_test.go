package snapshot_test

import (
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/internal/workers"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// gait is the movement of an entity of a crowd.
type gait struct {
	dx, dy float32
	turn   uint16
}

// yard returns a protocol of entities that walk in lines, like the arena's.
func yard() *ecs.Protocol {
	p := ecs.NewProtocol("yard/1")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "0..2000 step 0.001953125 tol 0.125 axis x lines 0.0625",
		"Y": "0..2000 step 0.001953125 tol 0.125 axis y lines 0.0625",
	})
	ecs.ReplicateFields[components.Heading](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"Angle": "0..65535 step 1 angle tol 256 lines 128 along",
	})
	ecs.ReplicateFields[components.Velocity](p, ecs.Predicted|ecs.OwnerOnly, schema.Fields{
		"X": "-256..256 step 0.125", "Y": "-256..256 step 0.125",
	})
	ecs.ReplicateFields[components.Health](p, 0, schema.Fields{"Points": "0..100"})
	ecs.Local[gait](p, 0)
	return p
}

// crowd is a world of walkers with many clients, each of which acknowledges everything.
type crowd struct {
	w       *ecs.World
	s       *snapshot.System
	r       *rand.Rand
	clients []*onlooker
	tick    uint32
	bytes   int
}

// onlooker is a client of a crowd.
type onlooker struct {
	w      *ecs.World
	c      *snapshot.Client
	delay  uint32 // ticks until its acknowledgements come
	seq    uint16
	flying []arrival
}

type arrival struct {
	seq uint16
	due uint32
}

func (*onlooker) Ack() (input uint32, depth uint8, shift int16) { return 0, 0, 0 }
func (*onlooker) Touch() byte                                   { return 0 }
func (*onlooker) Report() *report.Client                        { return nil }
func (*onlooker) Allowance(time.Time) int                       { return 1 << 20 }
func (*onlooker) RoundTrip() time.Duration                      { return 0 }
func (o *onlooker) Own(e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return o.w.Netcode().Pointer(e, c)
}

// newCrowd returns a crowd on n workers, with round trips of 1 to 1+spread ticks.
func newCrowd(clients, npcs, n int, spread uint32) *crowd {
	p := yard()
	g := &crowd{w: ecs.NewWorld(p, ecs.Config{TickRate: 60, Seed: 1}), r: rand.New(rand.NewPCG(1, 1))}
	g.s = snapshot.New(snapshot.Config{
		World: g.w, Protocol: p, Clock: g, SendRate: 20, Budget: 3600, Logger: slog.New(slog.DiscardHandler), Workers: workers.New(n),
	}, 0)
	for range npcs {
		g.spawn(0)
	}
	for i := range uint32(clients) {
		g.spawn(i + 1)
		o := &onlooker{w: g.w, delay: 1 + i*spread/uint32(clients)}
		o.c = g.s.Add(i+1, o, 0)
		g.clients = append(g.clients, o)
	}
	return g
}

// spawn spawns an entity of a client, or without an owner.
func (g *crowd) spawn(owner uint32) {
	e := g.w.Spawn(components.Position{X: g.r.Float32() * 2000, Y: g.r.Float32() * 2000},
		components.Heading{}, components.Velocity{}, components.Health{Points: 100}, gait{})
	if owner > 0 {
		ecs.Add(g.w, e, components.Owner{Client: owner})
	}
}

func (g *crowd) Now() time.Time { return time.Unix(int64(g.tick/60), 0) }
func (g *crowd) Tick() uint32   { return g.tick }

// step lets ticks pass up to the next send.
func (g *crowd) step() {
	for range 3 {
		g.tick++
		n := uint32(0)
		for _, e := range ecs.Each[struct {
			At   *components.Position
			Head *components.Heading
			Vel  *components.Velocity
			Gait *gait
		}](g.w) {
			if n++; (g.tick+n)%30 == 0 {
				*e.Gait = gait{}
				if g.r.IntN(4) > 0 {
					e.Gait.dx, e.Gait.dy = float32(g.r.IntN(3)-1)*200, float32(g.r.IntN(3)-1)*200
				}
				if g.r.IntN(2) == 0 {
					e.Gait.turn = 65536 / 4 / 60
				}
			}
			e.Vel.X, e.Vel.Y = e.Gait.dx, e.Gait.dy
			e.At.X, e.At.Y = min(max(e.At.X+e.Vel.X/60, 0), 2000), min(max(e.At.Y+e.Vel.Y/60, 0), 2000)
			e.Head.Angle += e.Gait.turn
		}
		g.s.Step()
	}
}

// acknowledge lets acknowledgements arrive.
func (g *crowd) acknowledge() {
	for _, o := range g.clients {
		n := 0
		for n < len(o.flying) && o.flying[n].due <= g.tick {
			g.s.Acked(o.c, o.flying[n].seq)
			n++
		}
		o.flying = o.flying[:copy(o.flying, o.flying[n:])]
	}
}

// send delivers the datagrams.
func (g *crowd) send() {
	for _, o := range g.clients {
		packets := o.c.Packets()
		for i := range packets {
			g.bytes += len(packets[i].Bytes)
			o.c.Sent(o.seq, &packets[i])
			o.flying = append(o.flying, arrival{o.seq, g.tick + o.delay})
			o.seq++
		}
		o.c.Clear()
	}
}

// run is a send: acknowledgements arrive, clients are laid out, packets go.
func (g *crowd) run() {
	g.step()
	g.acknowledge()
	g.s.Run(g.w)
	g.send()
}

// A send allocates nothing once all memory has grown, with any number of workers.
func TestSendsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, n := range []int{1, 2, 4} {
		g := newCrowd(60, 100, n, 8)
		for range 3 * frames.Kept(20) {
			g.run()
		}
		if allocs := testing.AllocsPerRun(100, g.run); allocs > 0 {
			t.Errorf("%d workers: %v allocations a send", n, allocs)
		}
	}
}
