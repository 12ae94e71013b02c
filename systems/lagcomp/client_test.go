package lagcomp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// entityOf returns the entity of a view that has a NetID, zero for none.
func entityOf(view lagcomp.View, id components.NetID) ecs.Entity {
	e, _ := view.ByNetID(id)
	return e
}

// match returns a crowd in the gallery with lag compensation.
func match(t *testing.T, seed uint64, clients, targets int, link netsys.Link, c lagcomp.Config, play systemstest.Script) (*systemstest.Crowd, *lagcomp.Compensator) {
	t.Helper()
	crowd := systemstest.New(t, systemstest.Config{
		Protocol: gallery, Server: systems.ServerConfig{LagComp: &c}, Populate: populate(targets),
		Clients: clients, Link: link, Seed: seed, Play: play,
	})
	return crowd, ecs.Resource[lagcomp.Compensator](crowd.Server.World())
}

// A view equals what the client draws, bit for bit, at any moment and under any loss, with entities that spawn and despawn. Only
// entities that continue beyond their newest state, or come back from there, are elsewhere.
func TestViewIsWhatTheClientDraws(t *testing.T) {
	for _, l := range []netsys.Link{
		{Latency: 20 * time.Millisecond},
		systemstest.RoundTrip(200*time.Millisecond, 0, 0.05),
		systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
		systemstest.RoundTrip(120*time.Millisecond, 20*time.Millisecond, 0.2),
	} {
		t.Run(fmt.Sprint(l.Latency, l.Jitter, l.Loss), func(t *testing.T) {
			systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
				crowd, _ := match(t, seed, 2, 20, l, lagcomp.Config{}, systemstest.Script{})
				seeSame(t, crowd, l, 19, func(*systemstest.Client, ecs.Entity) bool { return false })
			})
		})
	}
}

// seeSame compares the entities that a crowd draws with those in views, except the ones for which between returns true. It
// expects a minimum number of poses per frame.
func seeSame(t *testing.T, crowd *systemstest.Crowd, link netsys.Link, poses int, between func(k *systemstest.Client, e ecs.Entity) bool) {
	// One that does not wait for acknowledgements: it looks when the client draws.
	comp := compensator(t, crowd.Server.World(), lagcomp.Config{})
	record := ecs.System{Name: "Again", Run: func(w *ecs.World) { comp.Record(w.Tick() + 1) }}
	if err := crowd.Server.Schedule().InsertBefore("Snapshot", record); err != nil {
		t.Fatal(err)
	}
	crowd.Connect()
	crowd.Run(3 * time.Second)
	frames, compared, beyond := 0, 0, uint64(0)
	crowd.OnFrame(func(k *systemstest.Client) {
		before := comp.Stats().Unsent
		view := comp.As(k.ID(), k.Claim(true))
		frames++
		if view.Clamp() != lagcomp.Believed {
			t.Errorf("tick %.2f: a claim is %v", k.DrawnTick(), view.Clamp())
		}
		if n := comp.Stats().Unsent - before; n > 0 {
			beyond += n // drawn over more losses than is allowed
			return
		}
		seen := map[components.NetID]target{}
		for e, v := range lagcomp.All[target](view) {
			seen[view.NetID(e)] = v
		}
		for e, v := range ecs.All[target](k.View()) {
			id := k.View().NetID(e)
			s, ok := seen[id]
			delete(seen, id)
			if d, _ := k.Drawing(e); between(k, e) || d.From != 0 && d.To == 0 && s != v || d.Error > 0 {
				continue
			}
			if got, there := lagcomp.Get[spot](view, entityOf(view, id)); !there || got != s.At {
				t.Errorf("entity %d stands at %v in a walk, and at %v when asked for", id, s.At, got)
			}
			if !ok || s != v {
				from, to := view.States()
				t.Errorf("tick %.3f: the client draws %d as %+v, the view of %.3f (%d to %d) has %+v", k.DrawnTick(), id, v, view.Tick(), from, to, s)
			}
			compared++
		}
		for id := range seen {
			t.Errorf("tick %.2f: the client does not draw entity %d, the view of %.2f does", k.DrawnTick(), id, view.Tick())
		}
	})
	crowd.Run(10 * time.Second)
	t.Logf("%d frames, %d poses compared, %d over too many losses, oldest %d ticks", frames, compared, beyond, comp.Stats().Oldest)
	if beyond > 0 && link.Loss < 0.1 || compared < poses*frames {
		t.Errorf("%d poses compared, %d frames left out", compared, beyond)
	}
}
