package timeline_test

import (
	"errors"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func TestNetcodeB5_HorizonIsWhatNoInputReaches(t *testing.T) {
	l := playing(t, timeline.Config{Window: 20})
	testgame.Must(t, l.Join(2, 0, 0, ""))
	horizon := func(want uint32) {
		t.Helper()
		steps(t, l, 1)
		testgame.Equal(t, "horizon", l.Horizon(), want)
	}
	for tick := range uint32(9) {
		put(t, l, 1, tick, steer{}, timeline.InTime)
	}
	horizon(0)
	put(t, l, 2, 0, steer{}, timeline.Agreed)
	put(t, l, 2, 1, steer{}, timeline.InTime)
	put(t, l, 2, 3, steer{}, timeline.InTime)
	horizon(2) // 2 of the second is outstanding
	horizon(2)
	put(t, l, 2, 2, steer{DX: 1}, timeline.Rewrote)
	horizon(4)
	for range 15 {
		steps(t, l, 1)
	}
	testgame.Equal(t, "next tick", l.Next(), 19)
	horizon(4)
	testgame.Equal(t, "missing inputs", l.Stats().Missing, 0)
	for range 10 {
		steps(t, l, 1)
	}
	testgame.Equal(t, "horizon, a window before the next tick", l.Horizon(), l.Next()-20)
	testgame.Equal(t, "missing inputs of both", l.Stats().Missing, 6+1) // 4 to 9, and 9
	for tick := uint32(10); tick < 30; tick++ {
		put(t, l, 1, tick, steer{}, timeline.Agreed)
	}
	testgame.Must(t, l.Leave(2, 25))
	steps(t, l, 1)
	testgame.Equal(t, "horizon", l.Horizon(), 11)
	for tick := uint32(10); tick < 25; tick++ {
		l.Put(2, tick, testgame.Words(steer{}))
	}
	steps(t, l, 1)
	testgame.Equal(t, "horizon, for one who has left", l.Horizon(), 30)
}

func TestFollowerWaitsForTheWord(t *testing.T) {
	l := playing(t, timeline.Config{Window: 20, Follower: true})
	for range 5 {
		put(t, l, 1, l.Next(), steer{}, timeline.InTime)
		steps(t, l, 1)
	}
	testgame.Equal(t, "horizon", l.Horizon(), 0)
	l.SetServerHorizon(3)
	l.SetServerHorizon(2)
	put(t, l, 1, l.Next(), steer{}, timeline.InTime)
	steps(t, l, 1)
	testgame.Equal(t, "horizon", l.Horizon(), 3)
	l.SetServerHorizon(30)
	put(t, l, 1, l.Next(), steer{}, timeline.InTime)
	steps(t, l, 1)
	testgame.Equal(t, "horizon", l.Horizon(), 7)
}

func TestOverrule(t *testing.T) {
	l := playing(t, timeline.Config{Window: 20, Follower: true})
	put(t, l, 1, 0, steer{DX: 1}, timeline.InTime)
	put(t, l, 1, 4, steer{DY: 1}, timeline.InTime)
	steps(t, l, 8)
	testgame.Equal(t, "place", at(t, l, 1), place{X: 9, Y: 4})
	for _, c := range []struct {
		tick uint32
		in   []int32
		want timeline.Verdict
	}{
		{4, nil, timeline.Rewrote},
		{4, nil, timeline.Duplicate},
		{4, testgame.Words(steer{DX: 1}), timeline.Rewrote},
		{4, testgame.Words(steer{DX: 1}), timeline.Duplicate},
		{0, testgame.Words(steer{DX: 1}), timeline.Duplicate},
		{12, testgame.Words(steer{DX: 1}), timeline.InTime},
		{30, nil, timeline.TooEarly},
	} {
		testgame.Equal(t, "verdict", l.Overrule(1, c.tick, c.in), c.want)
	}
	testgame.Equal(t, "verdict", l.Overrule(2, 3, nil), timeline.Absent)
	steps(t, l, 1)
	testgame.Equal(t, "place", at(t, l, 1), place{X: 5 + 9, Y: 0})
	steps(t, l, 31)
	testgame.Equal(t, "what it was", l.Overrule(1, 12, testgame.Words(steer{DX: 1})), timeline.Duplicate)
	testgame.Equal(t, "another than what it was", l.Overrule(1, 12, testgame.Words(steer{DX: -1})), timeline.TooOld)
	testgame.Equal(t, "none where there was none", l.Overrule(1, 13, nil), timeline.Duplicate)
	testgame.Equal(t, "none where there was one", l.Overrule(1, 12, nil), timeline.TooOld)
}

func TestHashIsTheWorlds(t *testing.T) {
	l := playing(t, timeline.Config{Hashes: 8})
	var sums []uint64
	for tick := range uint32(30) {
		put(t, l, 1, tick, steer{DX: 1, Fire: tick%3 == 0}, timeline.InTime)
		steps(t, l, 1)
		sums = append(sums, l.World().Hash())
	}
	late := playing(t, timeline.Config{Hashes: 8})
	steps(t, late, 20)
	for tick := range uint32(30) {
		late.Put(1, tick, testgame.Words(steer{DX: 1, Fire: tick%3 == 0}))
	}
	steps(t, late, 10)
	for tick := range uint32(31) {
		for _, l := range []*timeline.Timeline{l, late} {
			sum, ok := l.Hash(tick)
			testgame.Equal(t, "hash is kept", ok, tick >= 22 && tick < 30)
			if ok {
				testgame.Equal(t, "hash", sum, sums[tick])
			}
		}
	}
	without := playing(t, timeline.Config{Hashes: -1})
	steps(t, without, 5)
	if _, ok := without.Hash(1); ok {
		t.Error("a hash that was not wanted")
	}
}

func TestDivergence(t *testing.T) {
	run := func(spoil func(w *ecs.World)) *timeline.Timeline {
		l := playing(t, timeline.Config{Window: 10})
		for range 20 {
			put(t, l, 1, l.Next(), steer{DX: 1, Fire: true}, timeline.InTime)
			if l.Next() == 17 && spoil != nil {
				spoil(l.World())
			}
			steps(t, l, 1)
		}
		return l
	}
	digest := func(l *timeline.Timeline, tick uint32) []uint64 {
		d, err := l.AppendDigest(nil, tick)
		testgame.Must(t, err)
		return d
	}
	type wounded struct{ Health *health }
	type standing struct {
		Place  *place
		Health *health
	}
	right := run(nil)
	for want, spoil := range map[string]func(w *ecs.World){
		"": func(*ecs.World) {},
		"Health.Points": func(w *ecs.World) {
			for _, r := range ecs.Each[wounded](w) {
				r.Health.Points++
			}
		},
		"Spot.Y": func(w *ecs.World) {
			for _, r := range ecs.Each[standing](w) {
				r.Place.Y++
				r.Health.Points--
			}
		},
		"entities": func(w *ecs.World) { ecs.Spawn(w, testgame.Rock{Fuse: testgame.Fuse{Left: 9}}) },
	} {
		wrong := run(spoil)
		testgame.Equal(t, "divergence in a tick of the past", wrong.Divergence(digest(right, 17), digest(wrong, 17)), want)
		testgame.Equal(t, "divergence in the last tick", wrong.Divergence(digest(right, 19), digest(wrong, 19)), want)
		testgame.Equal(t, "divergence before", wrong.Divergence(digest(right, 15), digest(wrong, 15)), "")
		testgame.Equal(t, "another protocol", wrong.Divergence(digest(right, 15), nil), "protocol")
	}
	for _, tick := range []uint32{5, 20} {
		if _, err := right.AppendDigest(nil, tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("digest of tick %d: %v", tick, err)
		}
	}
}
