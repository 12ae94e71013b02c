package timeline_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// soldiers returns the players with a soldier in a world, in order.
func soldiers(w *ecs.World) (players []uint32) {
	type row struct {
		Owner  components.Owner
		Health health
	}
	for _, r := range ecs.All[row](w) {
		players = append(players, r.Owner.Client)
	}
	slices.Sort(players)
	return players
}

func TestJoinAndLeave(t *testing.T) {
	l := playing(t, timeline.Config{Window: 20})
	testgame.Must(t, l.Join(3, 5, 5, ""))
	testgame.Must(t, l.Leave(3, 10))
	testgame.Must(t, l.Join(3, 12, 12, ""))
	for tick := range uint32(16) {
		steps(t, l, 1)
		want := []uint32{1}
		if tick >= 5 && tick < 10 || tick >= 12 {
			want = []uint32{1, 3}
		}
		if got := soldiers(l.World()); !slices.Equal(got, want) {
			t.Errorf("after tick %d: %v, want %v", tick, got, want)
		}
	}
	want := []timeline.Presence{{1, 0, 0, timeline.Forever, ""}, {3, 5, 5, 10, ""}, {3, 12, 12, timeline.Forever, ""}}
	if got := l.AppendPresences(nil); !slices.Equal(got, want) {
		t.Errorf("presences %v, want %v", got, want)
	}
	put(t, l, 3, 11, steer{}, timeline.Absent)
	put(t, l, 3, 9, steer{DX: 1}, timeline.Rewrote)
	steps(t, l, 30)
	if got := l.AppendPresences(nil); len(got) != 2 || got[1].From != 12 {
		t.Errorf("presences beyond the window stay: %v", got)
	}
}

// Late joins and leaves lead to the same world.
func TestLateJoinAndLeave(t *testing.T) {
	hashes := func(late uint32) (sums []uint64) {
		l := playing(t, timeline.Config{})
		for range 80 {
			switch l.Next() {
			case 10 + late:
				testgame.Must(t, l.Join(2, 10, 10, ""))
			case 30 + late:
				testgame.Must(t, l.Leave(2, 30))
			case 32 + late:
				testgame.Must(t, l.Join(4, 32, 32, ""))
			case 40 + late:
				testgame.Must(t, l.Leave(1, 40))
			}
			for _, p := range []uint32{1, 2, 4} {
				l.Put(p, l.Next()-min(l.Next(), late), testgame.Words(always(0, p+l.Next()-min(l.Next(), late))))
			}
			steps(t, l, 1)
		}
		for tick := uint32(20); tick < 70; tick++ {
			sum, ok := l.Hash(tick)
			if !ok {
				t.Errorf("tick %d is not final", tick)
			}
			sums = append(sums, sum)
		}
		return sums
	}
	want := hashes(0)
	for _, late := range []uint32{1, 9} {
		if got := hashes(late); !slices.Equal(got, want) {
			t.Errorf("joins and leaves heard %d ticks late make another world", late)
		}
	}
}

func TestRefusals(t *testing.T) {
	l := playing(t, timeline.Config{Window: 10, Players: 2})
	for _, c := range []struct {
		err, want error
	}{
		{l.Join(1, 5, 5, ""), timeline.ErrPlaying},
		{l.Leave(2, 5), timeline.ErrAbsent},
		{l.Leave(1, 0), timeline.ErrAbsent},
		{l.Join(2, 3, 3, ""), nil},
		{l.Join(3, 3, 3, ""), timeline.ErrFull},
		{l.Leave(2, 3), timeline.ErrAbsent},
		{l.Leave(2, 4), nil},
		{l.Leave(2, 5), timeline.ErrAbsent},
		{l.Join(2, 3, 3, ""), timeline.ErrPlaying},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("got %v, want %v", c.err, c.want)
		}
	}
	steps(t, l, 30)
	if err := l.Join(5, 19, 19, ""); !errors.Is(err, timeline.ErrFinal) {
		t.Errorf("a join beyond the window: %v", err)
	}
	if err := l.Leave(1, 19); !errors.Is(err, timeline.ErrFinal) {
		t.Errorf("a leave beyond the window: %v", err)
	}
	testgame.Must(t, l.Join(5, 20, 20, "")) // 2 is forgotten
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again for a late join", l.Stats().Last, 10)
}

// A joining player cannot have inputs for ticks before it knew of its join.
func TestFirstInput(t *testing.T) {
	l := newTimeline(timeline.Config{Wait: true})
	testgame.Must(t, l.Join(1, 0, 0, ""))
	testgame.Must(t, l.Join(2, 2, 5, ""))
	for tick := range uint32(9) {
		l.Put(1, tick, testgame.Words(steer{}))
		testgame.Equal(t, "goes on", l.Step(), tick < 5)
	}
	testgame.Equal(t, "waits in", l.Next(), 5)
	put(t, l, 2, 4, steer{DX: 1}, timeline.Absent)
	put(t, l, 2, 5, steer{DX: 1}, timeline.InTime)
	steps(t, l, 1)
	testgame.Equal(t, "place", at(t, l, 2), place{X: 11, Y: 0})
}

// A peer that starts with the state of a final tick continues like all others.
func TestAdopt(t *testing.T) {
	const begin = 50
	play := func(l *timeline.Timeline, from, to uint32) {
		for tick := from; tick < to; tick++ {
			if l.Next() == 55 {
				testgame.Must(t, l.Join(3, 55, 55, ""))
			}
			for p := range uint32(3) {
				if tick%7 != p { // one in seven is lost
					l.Put(p+1, tick, testgame.Words(always(0, tick+p)))
				}
			}
			steps(t, l, 1)
		}
	}
	whole := newTimeline(timeline.Config{})
	testgame.Must(t, whole.Join(1, 0, 0, ""))
	testgame.Must(t, whole.Join(2, 20, 22, ""))
	half := newTimeline(timeline.Config{})
	testgame.Must(t, half.Join(1, 0, 0, ""))
	testgame.Must(t, half.Join(2, 20, 22, ""))
	play(half, 0, begin)
	play(whole, 0, 80)

	late := timeline.New(half.World(), timeline.Config{First: begin})
	for _, p := range whole.AppendPresences(nil) {
		if p.From < begin {
			held, at, _ := half.Held(p.Player, begin)
			testgame.Must(t, late.Adopt(p.Player, p.First, held, at))
			again, _, _ := late.Held(p.Player, begin) // for a peer that begins with the same state
			testgame.Equal(t, "held input", fmt.Sprint(again), fmt.Sprint(held))
		}
	}
	if err := late.Adopt(1, 0, nil, 0); !errors.Is(err, timeline.ErrPlaying) {
		t.Errorf("adopted twice: %v", err)
	}
	play(late, begin, 80)
	testgame.Equal(t, "world", late.World().Hash(), whole.World().Hash())
	put(t, late, 2, begin, steer{Fire: true}, timeline.Rewrote) // back to the first tick
	put(t, whole, 2, begin, steer{Fire: true}, timeline.Rewrote)
	steps(t, late, 1)
	steps(t, whole, 1)
	testgame.Equal(t, "world", late.World().Hash(), whole.World().Hash())
}

func TestRestart(t *testing.T) {
	l := playing(t, timeline.Config{})
	steps(t, l, 30)
	log := commands.New(l.World())
	log.Add(commands.Entry{Player: 1, Kind: commands.Leave})
	log.Run(0)
	l.Restart(100)
	testgame.Equal(t, "next tick", l.Next(), 100)
	testgame.Equal(t, "horizon", l.Horizon(), 100)
	testgame.Must(t, l.Join(2, 100, 100, ""))
	put(t, l, 2, 100, steer{DX: 1}, timeline.InTime)
	steps(t, l, 3)
	put(t, l, 2, 101, steer{DY: 1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "place", at(t, l, 2), place{X: 11, Y: 3})
	if got := soldiers(l.World()); !slices.Equal(got, []uint32{2}) {
		t.Errorf("players %v", got)
	}
}

// An input for the tick in which a player leaves is not an input of a player who joins in that tick. There is no input after
// the last tick.
func TestInputForTheTickOfLeaving(t *testing.T) {
	l := newTimeline(timeline.Config{})
	testgame.Must(t, l.Join(1, 0, 0, ""))
	steps(t, l, 10)
	for tick := range uint32(14) {
		l.Put(1, tick, testgame.Words(steer{DX: 1}))
	}
	testgame.Must(t, l.Leave(1, 12))
	put(t, l, 1, 12, steer{DX: 1}, timeline.Absent)
	testgame.Must(t, l.Join(1, 12, 12, ""))
	steps(t, l, 2)
	stood := at(t, l, 1)
	put(t, l, 1, 12, steer{DX: -1}, timeline.InTime)
	steps(t, l, 3)
	if moved := at(t, l, 1); moved.X >= stood.X {
		t.Errorf("who comes in tick 12 stands at %v, then goes west to %v", stood, moved)
	}
}

// Inputs that a player sent ahead before it left have no effect when it joins again.
func TestInputsAheadEndWithTheirPlayer(t *testing.T) {
	l := newTimeline(timeline.Config{})
	testgame.Must(t, l.Join(1, 0, 0, ""))
	steps(t, l, 10)
	for tick := range uint32(20) {
		l.Put(1, tick, testgame.Words(steer{DX: 1}))
	}
	testgame.Must(t, l.Leave(1, 12))
	newest, _ := l.Newest(1)
	testgame.Equal(t, "newest input", newest, 11)
	testgame.Must(t, l.Join(1, 14, 16, ""))
	steps(t, l, 10)
	testgame.Equal(t, "where its soldier is", at(t, l, 1), place{X: 5})
	put(t, l, 1, 17, steer{DX: -1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "where its soldier is", at(t, l, 1).X < 5, true)
}
