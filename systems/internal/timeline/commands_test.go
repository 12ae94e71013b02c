package timeline_test

import (
	"errors"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// plant is a command.
type plant struct{}

// A peer that receives a command for a simulated tick goes back and runs it once. A command for a final tick is an error and
// does not run.
func TestCommandThatComesLate(t *testing.T) {
	w := ecs.NewWorld(testgame.Grounds(func(p *ecs.Protocol) {
		ecs.Command(p, func(w *ecs.World, player uint32, _ *plant) { w.Spawn(testgame.Tint{}) })
	}), ecs.Config{})
	l := timeline.New(w, timeline.Config{Window: 20, Follower: true})
	command, err := w.Protocol().Players().Pack(plant{})
	testgame.Must(t, err)
	planted := func() (n int) {
		for range ecs.All[struct{ Tint testgame.Tint }](w) {
			n++
		}
		return n
	}
	steps(t, l, 5)
	testgame.Must(t, l.AddCommand(1, 2, command))
	steps(t, l, 1)
	testgame.Equal(t, "planted", planted(), 1)
	testgame.Equal(t, "ticks simulated again", l.Stats().Resimulated, 3)
	testgame.Equal(t, "kept from tick 2 on", len(l.AppendCommands(nil, 2)), 1)
	testgame.Must(t, l.AddCommand(1, 8, command))
	l.SetServerHorizon(5)
	steps(t, l, 3)
	testgame.Equal(t, "planted ahead", planted(), 2)
	if err := l.AddCommand(1, 4, command); !errors.Is(err, timeline.ErrFinal) {
		t.Errorf("%v", err)
	}
	steps(t, l, 1)
	testgame.Equal(t, "planted in a final tick", planted(), 2)
}
