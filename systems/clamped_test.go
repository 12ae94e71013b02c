package systems

import (
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// The server clamps values outside of their range, including NaN, for every client. It counts each captured value and logs
// each component field once.
func TestValuesOutOfRangeAreClampedCountedAndNamed(t *testing.T) {
	log := &journal{}
	g := newGame(t, peopled, ServerConfig{Logger: log.logger()})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(60)
	w := g.server.World()
	var all []ecs.Entity
	for n := range 20 {
		all = append(all, w.Spawn(place{X: float32(n)}, tint{uint8(n)}))
	}
	nan := float32(math.NaN())
	steps := []struct {
		spoil  func()
		values uint64 // out of range from now on
		lines  []string
	}{
		{func() {}, 0, nil},
		{func() { ecs.Get[place](w, all[3]).X = 900 }, 1, []string{"component=place field=X value=900 entity="}},
		{func() { ecs.Get[place](w, all[4]).X = -900 }, 2, nil},
		{func() { *ecs.Get[place](w, all[5]) = place{nan, nan} }, 4, []string{"field=Y value=NaN"}},
		{func() { ecs.Get[tint](w, all[19]).Color = 255 }, 5, []string{"component=tint field=Color value=255"}},
		{func() { ecs.Get[place](w, all[5]).Y = float32(math.Inf(1)) }, 5, nil},
	}
	for n, s := range steps {
		s.spoil()
		before, lines := g.server.Stats(), log.count(slog.LevelWarn)
		g.run(30)
		after := g.server.Stats()
		updates := after.Sends - before.Sends
		if got := after.Clamped - before.Clamped; got != s.values*updates || updates == 0 {
			t.Errorf("step %d: %d values clamped in %d captures, should be %d each", n, got, updates, s.values)
		}
		if got := log.count(slog.LevelWarn) - lines; got != len(s.lines) {
			t.Errorf("step %d: %d lines, should be %d", n, got, len(s.lines))
		}
		for _, want := range s.lines {
			if last := log.lines[len(log.lines)-1]; !strings.Contains(last, want) {
				t.Errorf("step %d: the log says %q, nothing of %q", n, last, want)
			}
		}
	}
	checkClient(t, c)
	for e, r := range ecs.All[struct {
		At   place
		Tint tint
	}](c.World()) {
		if id := c.World().NetID(e); r.At.X > 512 || r.At.X < -512 || r.At.X != r.At.X || r.At.Y != r.At.Y || r.Tint.Color > 200 {
			t.Errorf("entity %d: %+v", id, r)
		}
	}
}

// Owner state is clamped too, and a client whose player has an invalid value plays on.
func TestOwnStateIsClamped(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	g.run(60)
	for e, r := range ecs.All[ownerRow](g.server.World()) {
		if r.Owner == (components.Owner{Client: c.ID()}) {
			ecs.Get[place](g.server.World(), e).X = float32(math.Inf(-1))
		}
	}
	for range 120 {
		g.step()
		checkClient(t, c)
	}
	if c.Err() != nil || c.Stats().MalformedMessages > 0 {
		t.Errorf("%v, %d malformed", c.Err(), c.Stats().MalformedMessages)
	}
}
