package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func TestConfig(t *testing.T) {
	for _, c := range []timeline.Config{
		{}, {Window: 4096, Early: 1, Fills: 4096, Players: 4096, Hashes: -1}, {Window: 10, Refill: 10, Burst: 10}, {Wait: true, Follower: true}, {Fills: -1},
	} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, c := range []timeline.Config{
		{Window: -1}, {Window: 4097}, {Early: -1}, {Fills: 4097}, {Players: 4097}, {Refill: -1}, {Window: 10, Refill: 11},
		{Burst: -1}, {Window: 10, Burst: 9}, {Hashes: 4097}, {Wait: true, Unmerged: true}, {Burst: 59}, {Refill: 61},
	} {
		if ofAWorld := c.Window == 0 && (c.Burst == 59 || c.Refill == 61); (c.Validate() == nil) != ofAWorld { // those 60 ticks a second refuse
			t.Errorf("%+v is taken: %v", c, !ofAWorld)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New takes %+v", c)
				}
			}()
			newTimeline(c)
		}()
	}
	newTimeline(timeline.Config{Burst: 60, Refill: 60})
}

// A timeline works with a protocol without inputs, and with entities without an owner.
func TestWithoutInputs(t *testing.T) {
	type row struct{ At *components.Heading }
	w := ecs.NewWorld(testgame.Stage(func(p *ecs.Protocol) {
		p.Simulate("turn", func(w *ecs.World) {
			for _, r := range ecs.Each[row](w) {
				r.At.Angle++
			}
		})
	}), ecs.Config{TickRate: 20})
	ended := 0
	w.Spawn(components.Heading{})
	l := timeline.New(w, timeline.Config{
		First:     5,
		Authority: ecs.NewStage("Authority", ecs.System{Name: "count", Run: func(*ecs.World) { ended++ }}),
	})
	testgame.Must(t, l.Join(1, 5, 5, ""))
	steps(t, l, 5)
	testgame.Equal(t, "verdict", l.Put(1, 7, nil), timeline.Agreed)
	testgame.Must(t, l.Leave(1, 8))
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again", l.Stats().Last, 2)
	testgame.Equal(t, "runs of the last stage", ended, 8)
	past, err := l.History().At(10)
	testgame.Must(t, err)
	testgame.Equal(t, "tick of the past", past.Tick(), 10)
	for range ecs.AllAt[struct{ At components.Heading }](past) {
		ended = -1
	}
	testgame.Equal(t, "looked into the past", ended, -1)
	if n, ok := l.Newest(1); ok {
		testgame.Equal(t, "newest", n, 7)
	}
	steps(t, l, 100)
	testgame.Equal(t, "horizon", l.Horizon(), l.Next())
	sum, ok := l.Hash(l.Next() - 1)
	testgame.Equal(t, "hash is there", ok, true)
	testgame.Equal(t, "hash", sum, w.Hash())
	testgame.Equal(t, "world", l.World(), w)
}
