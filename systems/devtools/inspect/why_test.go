package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// saga is a component that fits no datagram unless it is all zeros.
type saga struct {
	Text [1000]uint32 `net:"raw"`
}

// knows asks what client 1 knows of an entity.
func (m *match) knows(e ecs.Entity) (k knowsAnswer) {
	m.t.Helper()
	m.get(fmt.Sprintf("/api/knows?client=1&entity=%d", m.Server.World().NetID(e)), &k)
	return k
}

// The answer about a hidden entity names the part of the interest that hides it.
func TestWhatHidesAnEntity(t *testing.T) {
	c := yardConfig(3, 1)
	c.Server.Snapshots.Interest = systems.And(
		&systems.Grid[testgame.Place]{Cell: 10, Radius: 20},
		systems.Same[mood](),
		systems.Filter(func(_ struct{ P *testgame.Place }, it struct{ V *testgame.Veil }) bool { return it.V.Of == 1 }),
	)
	var far, other, veiled, seen ecs.Entity
	c.Populate = func(w *ecs.World) {
		far = w.Spawn(testgame.Place{X: 300}, testgame.Tint{}, mood{})
		other = w.Spawn(testgame.Place{X: 5}, testgame.Tint{}, mood{3})
		veiled = w.Spawn(testgame.Place{X: 5}, testgame.Tint{}, mood{}, testgame.Veil{})
		seen = w.Spawn(testgame.Place{X: 5}, testgame.Tint{}, mood{}, testgame.Veil{Of: 1})
	}
	m := newMatch(t, c, Config{})
	for _, x := range []struct {
		e             ecs.Entity
		by, not, said string
	}{
		{far, "by Grid[Place]: its piece is ", "Same", "and becomes visible at 20"},
		{other, "by Same[mood].", "Grid", "no"},
		{veiled, "by Filter[", "Same", "no"},
	} {
		k := m.knows(x.e)
		if text := strings.Join(k.Why, " "); !k.Hidden || !strings.Contains(text, x.by) || strings.Contains(text, x.not) || len(k.Parts) != 3 {
			t.Errorf("%q: %+v", x.by, k)
		}
		if !slices.ContainsFunc(k.Parts, func(p partAnswer) bool {
			return strings.Contains(x.by, strings.SplitN(p.Part, "[", 2)[0]) && strings.Contains(p.Said, x.said)
		}) {
			t.Errorf("%q: %+v", x.said, k.Parts)
		}
	}
	if k := m.knows(seen); k.Hidden || k.Held == 0 || len(k.Parts) != 0 {
		t.Errorf("%+v", k)
	}
}

// The answer about an entity that the client sees lists the hidden components, and the answers of their interests.
func TestWhatHidesAComponent(t *testing.T) {
	c := yardConfig(3, 1)
	c.Server.Snapshots.ComponentInterest = []systems.ComponentInterest{systems.Only[testgame.Tint](systems.Or(systems.Same[mood](), systems.Same[testgame.Tint](), &systems.Grid[testgame.Place]{Cell: 10, Radius: 20}))}
	var other, mine ecs.Entity
	c.Populate = func(w *ecs.World) {
		other = w.Spawn(testgame.Place{X: 300}, testgame.Tint{}, mood{3})
		mine = w.Spawn(testgame.Place{X: 300}, testgame.Tint{}, mood{})
	}
	m := newMatch(t, c, Config{})
	k := m.knows(other)
	if k.Hidden || k.Held == 0 || !strings.Contains(strings.Join(k.Why, " "), "interest hides the component Tint.") || len(k.Parts) != 3 {
		t.Errorf("%+v", k)
	}
	for _, p := range k.Parts {
		if !strings.HasPrefix(p.Part, "Tint: ") || !strings.HasPrefix(p.Said, "no") {
			t.Errorf("%+v", p)
		}
	}
	if k := m.knows(mine); len(k.Parts) != 0 || strings.Contains(strings.Join(k.Why, " "), "Tint") {
		t.Errorf("%+v", k)
	}
}

// An entity that fits no snapshot is reported as too big.
func TestWhatIsTooBig(t *testing.T) {
	c := yardConfig(4, 1)
	c.Protocol = func() *ecs.Protocol {
		p := yard()
		ecs.Replicate[saga](p, 0)
		return p
	}
	var big saga
	for i := range big.Text {
		big.Text[i] = uint32(i*i) * 2654435761
	}
	var e ecs.Entity
	populate := c.Populate
	c.Populate = func(w *ecs.World) {
		populate(w)
		e = w.Spawn(testgame.Place{}, big)
	}
	m := newMatch(t, c, Config{})
	m.RunTicks(120)
	if k := m.knows(e); !k.TooBig || k.Hidden || strings.Contains(strings.Join(k.Why, " "), "interest") {
		t.Errorf("%+v", k)
	}
}

// Baselines and packets under way are described only if there are any.
func TestWhyTellsWhatThereIs(t *testing.T) {
	const underWay, whole, differs, predicted = "are not acknowledged", "has the full state", "the difference from the send", "prediction of two sends"
	for _, c := range []struct {
		k    systems.Knowledge
		want []string
	}{
		{systems.Knowledge{Send: 9}, []string{whole}},
		{systems.Knowledge{Send: 9, Sent: 8, Held: 8}, []string{whole}},
		{systems.Knowledge{Send: 9, Unacknowledged: 2, Held: 8}, []string{whole}},
		{systems.Knowledge{Send: 9, Sent: 8, Unacknowledged: 2, Held: 5, Baseline: 5}, []string{underWay, differs}},
		{systems.Knowledge{Send: 9, Sent: 8, Held: 8, Baseline: 8, Second: true}, []string{predicted}},
		{systems.Knowledge{Send: 9, Sent: 8, Held: 8, Second: true}, []string{whole}},
	} {
		c.k.Exists = true
		text := strings.Join(describeKnowledge(&c.k, &systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 20}}), "\n")
		for _, part := range []string{underWay, whole, differs, predicted} {
			if want := slices.Contains(c.want, part); strings.Contains(text, part) != want {
				t.Errorf("%+v: says %q is %v:\n%s", c.k, part, !want, text)
			}
		}
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		k    systems.Knowledge
		want string
	}{
		{systems.Knowledge{Exists: true, Hidden: true}, "interest hides"},
		{systems.Knowledge{Exists: true, TooBig: true, Budget: 300}, "fits no snapshot of 300 bytes"},
		{systems.Knowledge{Exists: true, Joining: true}, "is joining"},
		{systems.Knowledge{Exists: true}, "has not sent"},
		{systems.Knowledge{Exists: true, Send: 9, Sent: 7}, "acknowledged no state"},
		{systems.Knowledge{Exists: true, Send: 9, Held: 9}, "acknowledged the newest send"},
		{systems.Knowledge{Exists: true, Send: 9, Held: 5, Sent: 8, Unacknowledged: 2}, "the send 4 before the newest, 200 ms earlier"},
		{systems.Knowledge{Exists: true, Send: 9, Baseline: 8, Second: true}, "prediction of two sends"},
		{systems.Knowledge{Exists: true, OverBudget: true, Priority: 2, Gained: 6}, "gains priority 2 per send, and has gained 6"},
		{systems.Knowledge{Exists: true, OverBudget: true, Send: 9, Sent: 7, Held: 7, Allowed: 200}, "Snapshots of 200 bytes do not hold everything"},
		{systems.Knowledge{Exists: true, Own: true}, "acknowledged no predicted"},
		{systems.Knowledge{Exists: true, Own: true, Send: 3, OwnHeld: 3}, "owner-only components of the newest send"},
	} {
		if text := strings.Join(describeKnowledge(&c.k, &systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 20}}), "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%+v: %q has no %q", c.k, text, c.want)
		}
	}
}
