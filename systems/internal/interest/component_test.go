package interest

import (
	"errors"
	"math/bits"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

type badge struct{ Number uint8 } // for its owner alone

// Invalid component interests are refused with the remedy.
func TestOnlyAdvice(t *testing.T) {
	type stranger struct{ A uint8 }
	of := func() Interest {
		return Filter(func(struct{ Team *team }, struct{ Spot *spot }) bool { return true })
	}
	for says, all := range map[string][]Component{
		"make it with Only":                {{}},
		"all who know of an entity":        {Only[team](nil)},
		"no such component; register it":   {Only[stranger](Same[team]())},
		"or replicate it":                  {Only[cloak](Same[team]())},
		"without ecs.OwnerOnly":            {Only[badge](Same[team]())},
		"Only[interest.team] twice":        {Only[team](Same[team]()), Only[team](Same[room]())},
		"Only[interest.team]: interest: G": {Only[team](&Grid[spot]{Radius: 5})},
		"more than 4 different interests":  {Only[spot](of()), Only[team](of()), Only[room](of()), Only[mark](of()), Only[flag](of())},
	} {
		p := protocol()
		ecs.ReplicateFields[badge](p, ecs.OwnerOnly, map[string]string{"Number": "0..200"})
		ecs.ReplicateFields[mark](p, 0, map[string]string{"Number": "0..200"})
		ecs.ReplicateFields[flag](p, 0, map[string]string{"Number": "0..200"})
		if _, err := Compile(ecs.NewWorld(p, ecs.Config{}), p, Rules{Components: all}); !errors.Is(err, ErrInterest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

type (
	mark struct{ Number uint8 }
	flag struct{ Number uint8 }
)

// Components with the same interest are shown and hidden together.
func TestOnlyAlike(t *testing.T) {
	grid, filter := &Grid[spot]{Cell: 1, Radius: 2}, Filter(func(struct{ Team *team }, struct{ Spot *spot }) bool { return true })
	other := Filter(func(struct{ Team *team }, struct{ Spot *spot }) bool { return true })
	for _, x := range []struct {
		a, b  Interest
		alike bool
	}{
		{Same[team](), Same[team](), true},
		{Same[team](), Same[room](), false},
		{grid, grid, true},
		{filter, filter, true},
		{filter, other, false},
		{And(grid, Same[team](), filter), And(grid, Same[team](), filter), true},
		{And(grid, Same[team]()), Or(grid, Same[team]()), false},
		{And(grid, filter), And(grid, other), false},
		{And(grid), grid, false},
		{grid, And(grid), false},
	} {
		y := yardOf(t, Rules{Components: []Component{Only[team](x.a), Only[room](x.b)}})
		if masks := y.p.RestrictedSets(); (len(masks) == 1) != x.alike {
			t.Errorf("%v and %v: restricted sets %b", x.a, x.b, masks)
		}
	}
}

// An entity between Radius and Leave stays in sight when it gets or loses a restricted component.
func TestVariantsStayInSight(t *testing.T) {
	y := yardOf(t, Rules{Entities: &Grid[spot]{Cell: 50, Radius: 60, Leave: 70}, Components: []Component{Only[room](Same[team]())}})
	y.w.Spawn(of(1), spot{}, team{})
	e := y.w.Spawn(spot{X: 55}, team{})
	var c Client
	number := ecs.ComponentOf[room](y.w.Protocol()).Replicated()
	want := func(when string, seen, rooms int) {
		t.Helper()
		y.capture()
		y.p.See(&c, 1, &y.r)
		all, with := 0, 0
		for _, s := range c.Seen {
			x := &y.f.Groups[s.Group]
			for m := x.Alive & s.Slots; m != 0; m &= m - 1 {
				all++
				with += int(x.Masks[bits.TrailingZeros64(m)] >> number & 1)
			}
		}
		if all != seen || with != rooms {
			t.Errorf("%s: sees %d, with %d rooms", when, all, with)
		}
	}
	want("near", 2, 0)
	ecs.Get[spot](y.w, e).X = 65
	ecs.Add(y.w, e, room{1})
	want("with a room", 2, 1)
	ecs.Remove[room](y.w, e)
	want("without it again", 2, 0)
	ecs.Get[spot](y.w, e).X = 75
	want("far", 1, 0)
}

// An interest with restricted components allocates nothing, while entities move and change teams.
func TestRestrictionsAllocateNothing(t *testing.T) {
	crew := Filter(func(me struct{ Team *team }, it struct{ Team *team }) bool { return *me.Team == *it.Team })
	y := yardOf(t, Rules{Entities: &Grid[spot]{Cell: 10, Radius: 60}, Components: []Component{Only[room](Same[team]()), Only[spot](Or(crew, &Grid[spot]{Cell: 10, Radius: 20}))}})
	me := y.w.Spawn(of(1), spot{}, team{})
	for n := range 200 {
		y.w.Spawn(spot{X: float32(n)}, team{uint8(n % 2)}, room{1})
	}
	clients := make([]Client, 4)
	n := 0
	run := func() {
		n++
		ecs.Get[spot](y.w, me).X = float32(n % 100)
		ecs.Get[team](y.w, me).Number = uint8(n / 7 % 2)
		y.capture()
		for i := range clients {
			y.p.See(&clients[i], uint32(i), &y.r)
		}
	}
	for range 600 {
		run()
	}
	if a := testing.AllocsPerRun(200, run); a > 0 {
		t.Errorf("%v allocations", a)
	}
}
