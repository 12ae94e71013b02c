package commands_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// newLog returns a log for a world that records its events.
func newLog() (*commands.Log, *ecs.World, *[]string) {
	var told []string
	w := ecs.NewWorld(testgame.Stage(func(p *ecs.Protocol) {
		ecs.Join(p, func(w *ecs.World, player uint32, _ *struct{}) {
			there := 0
			for range ecs.All[struct{ Owner components.Owner }](w) {
				there++
			}
			told = append(told, fmt.Sprintf("join %d beside %d", player, there))
			w.Spawn(components.Owner{Client: player}, components.Heading{})
		})
		ecs.Command(p, func(w *ecs.World, player uint32, v *order) {
			told = append(told, fmt.Sprintf("%d of %d", v.N, player))
			v.N = 99 // of this run alone
		})
		p.Leave(func(w *ecs.World, player uint32) { told = append(told, fmt.Sprintf("leave %d", player)) })
	}), ecs.Config{})
	return commands.New(w), w, &told
}

// In a tick, all leaves run before all joins, ordered by number, in whatever order they were recorded. A player sees what
// earlier leaves and joins spawned. A repeated tick runs in the same way.
func TestOrderOfATick(t *testing.T) {
	l, _, told := newLog()
	for _, e := range []commands.Entry{
		{Tick: 7, Player: 3, Kind: commands.Join},
		{Tick: 5, Player: 4, Kind: commands.Join},
		{Tick: 5, Player: 2, Kind: commands.Join},
		{Tick: 7, Player: 1, Kind: commands.Join},
		{Tick: 7, Player: 4, Kind: commands.Leave},
		{Tick: 7, Player: 2, Kind: commands.Leave},
	} {
		l.Add(e)
	}
	for tick := range uint32(10) {
		l.Run(tick)
	}
	want := []string{"join 2 beside 0", "join 4 beside 1", "leave 2", "leave 4", "join 1 beside 0", "join 3 beside 1"}
	if !slices.Equal(*told, want) {
		t.Errorf("%q, want %q", *told, want)
	}
	*told = nil
	l.Run(7)
	if len(*told) != 4 || (*told)[3] != "join 3 beside 3" { // the world was not taken back
		t.Errorf("again: %q", *told)
	}
}

// order is a command.
type order struct {
	N uint8 `net:"0..99"`
}

// orders returns the n-th command, encoded.
func orders(t testing.TB, w *ecs.World, n int) string {
	s, err := w.Protocol().Players().Pack(order{uint8(n)})
	testgame.Must(t, err)
	return s
}

// Commands run after the leaves and joins of their tick, by player and then in order of arrival. A repeated tick runs them
// with the same values.
func TestCommandsOfATick(t *testing.T) {
	l, w, told := newLog()
	for _, e := range []commands.Entry{
		{Tick: 5, Player: 4, Kind: commands.Command, Value: orders(t, w, 1)},
		{Tick: 6, Player: 1, Kind: commands.Command, Value: orders(t, w, 8)},
		{Tick: 5, Player: 2, Kind: commands.Command, Value: orders(t, w, 2)},
		{Tick: 5, Player: 4, Kind: commands.Command, Value: orders(t, w, 3)},
		{Tick: 5, Player: 2, Kind: commands.Command, Value: orders(t, w, 1)},
		{Tick: 5, Player: 9, Kind: commands.Join},
		{Tick: 5, Player: 8, Kind: commands.Leave},
	} {
		l.Add(e)
	}
	for range 2 {
		*told = nil
		l.Run(5)
		if want := []string{"2 of 2", "1 of 2", "1 of 4", "3 of 4"}; len(*told) != 6 || !slices.Equal((*told)[2:], want) {
			t.Errorf("%q, want %q at the end", *told, want)
		}
	}
	testgame.Equal(t, "from 6 on", len(l.AppendCommands(nil, 6)), 1)
	testgame.Equal(t, "from 5 on", len(l.AppendCommands(nil, 5)), 5)
}

// The entities of a leaving player are despawned, except those that Leave takes from it. Other players keep theirs.
func TestLeaveKeepsWhatItTakesAway(t *testing.T) {
	w := ecs.NewWorld(testgame.Grounds(func(p *ecs.Protocol) {
		p.Leave(func(w *ecs.World, player uint32) {
			for e, r := range ecs.All[struct {
				Owner components.Owner
				_     ecs.With[testgame.Tint]
			}](w) {
				if r.Owner.Client == player {
					ecs.Remove[components.Owner](w, e)
				}
			}
		})
	}), ecs.Config{})
	kept := w.Spawn(components.Owner{Client: 1}, testgame.Tint{})
	gone := w.Spawn(components.Owner{Client: 1}, testgame.Place{})
	other := w.Spawn(components.Owner{Client: 2}, testgame.Place{})
	l := commands.New(w)
	l.Add(commands.Entry{Tick: 3, Player: 1, Kind: commands.Leave})
	l.Run(3)
	testgame.Equal(t, "kept", w.Alive(kept), true)
	testgame.Equal(t, "owned", ecs.Has[components.Owner](w, kept), false)
	testgame.Equal(t, "left", w.Alive(gone), false)
	testgame.Equal(t, "another's", w.Alive(other), true)
}

// Only entries of ticks that can no longer run again are forgotten.
func TestForget(t *testing.T) {
	l, _, told := newLog()
	for tick := range uint32(6) {
		l.Add(commands.Entry{Tick: tick, Player: tick + 1, Kind: commands.Join})
	}
	l.Forget(4)
	testgame.Equal(t, "one that is forgotten comes", l.HasJoin(4, 3), false)
	testgame.Equal(t, "one that is not", l.HasJoin(5, 4), true)
	testgame.Equal(t, "in another tick", l.HasJoin(5, 5), false)
	for tick := range uint32(6) {
		l.Run(tick)
	}
	testgame.Equal(t, "ran", len(*told), 2)
	l.Clear()
	l.Run(5)
	testgame.Equal(t, "ran after Clear", len(*told), 2)
}
