package interest

import (
	"log/slog"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
)

type (
	spot struct{ X, Y float32 }
	team struct{ Number uint8 }
	room struct{ Number uint8 }
	goal struct{ X, Y float32 }

	// Components of the server alone.
	cloak   struct{ On bool }
	side    struct{ Number uint8 }
	hideout struct{ X, Y float32 }
)

// yard is a world for interest tests.
type yard struct {
	w    *ecs.World
	p    *Program
	ring *frames.Ring
	r    Room
	send uint32
	f    *frames.Frame
}

func protocol() *ecs.Protocol {
	p := ecs.NewProtocol("yard/1")
	ecs.ReplicateFields[spot](p, 0, schema.Fields{"X": "-10000..10000 step 0.1", "Y": "-10000..10000 step 0.1"})
	ecs.ReplicateFields[team](p, 0, schema.Fields{"Number": "0..200"})
	ecs.ReplicateFields[room](p, 0, schema.Fields{"Number": "0..200"})
	ecs.ReplicateFields[goal](p, 0, schema.Fields{"X": "-10000..10000 step 0.1", "Y": "-10000..10000 step 0.1"})
	ecs.Local[cloak](p, 0)
	ecs.Local[side](p, 0)
	ecs.Local[hideout](p, 0)
	return p
}

func newYard(t testing.TB, of Interest) *yard { return yardOf(t, Rules{Entities: of}) }

func yardOf(t testing.TB, r Rules) *yard { return yardWith(t, protocol(), r) }

func yardWith(t testing.TB, p *ecs.Protocol, r Rules) *yard {
	y := &yard{w: ecs.NewWorld(p, ecs.Config{TickRate: 20})}
	var err error
	if y.p, err = Compile(y.w, p, r); err != nil {
		t.Fatal(err)
	}
	var tables []*schema.Table
	for _, c := range p.Replicated() {
		tables = append(tables, c.Schema)
	}
	y.ring = frames.New(frames.Config{
		World: y.w, Layout: delta.NewLayout(tables, 1, 20), Steps: 1, Logger: slog.New(slog.DiscardHandler),
		Hides: y.p.Limits(), Restricted: y.p.RestrictedSets(),
	})
	y.r = y.p.Room()
	return y
}

// capture captures the next frame.
func (y *yard) capture() {
	y.send++
	y.ring.Step()
	y.f = y.ring.Take(y.send, y.send)
	y.p.Begin(y.f, y.ring)
}

// sees returns the entities of the newest frame that a client sees.
func (y *yard) sees(c *Client, id uint32) map[ecs.Entity]bool {
	y.p.See(c, id, &y.r)
	seen := map[ecs.Entity]bool{}
	last := -1
	for _, s := range c.Seen {
		if s.Group <= last {
			panic("not in order")
		}
		last = s.Group
		for k := range delta.GroupSize {
			if y.f.Groups[s.Group].Alive&s.Slots>>k&1 != 0 {
				seen[y.f.Entity(s.Group, k)] = true
			}
		}
	}
	return seen
}

func of(client uint32) components.Owner { return components.Owner{Client: client} }
