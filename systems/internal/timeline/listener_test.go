package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/outcome"
)

// journal records the calls of a listener.
type journal struct{ strings.Builder }

func (j *journal) Rewind(tick uint32)    { fmt.Fprintf(j, "back to %d; ", tick) }
func (j *journal) Start(tick uint32)     { fmt.Fprintf(j, "%d", tick) }
func (j *journal) Done()                 { j.WriteString(", ") }
func (j *journal) Settle(horizon uint32) { fmt.Fprintf(j, "final before %d\n", horizon) }

// Listeners learn which ticks are undone, simulated and final. A new state undoes everything that was not final.
func TestListeners(t *testing.T) {
	j := &journal{}
	l := playing(t, timeline.Config{Window: 3}, j)
	steps(t, l, 2)
	put(t, l, 1, 0, steer{}, timeline.Agreed)
	put(t, l, 1, 1, steer{DX: 1}, timeline.Rewrote)
	steps(t, l, 3)
	l.Restart(9)
	testgame.Equal(t, "what a listener is told", j.String(), `0, final before 0
1, final before 0
back to 1; 1, 2, final before 2
3, final before 2
4, final before 2
back to 0; final before 9
`)
	j.Reset()
	l = playing(t, timeline.Config{Unmerged: true}, j)
	steps(t, l, 2)
	put(t, l, 1, 1, steer{DX: 1}, timeline.Rewrote)
	put(t, l, 1, 0, steer{DY: 1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "what a listener is told", j.String(), `0, final before 0
1, final before 0
back to 1; 1, back to 0; 0, 1, 2, final before 2
`)
}

// wounded is an outcome that every change of health raises.
type wounded struct{ Points int16 }

// diary records the outcomes of a world.
type diary struct {
	open      map[uint64]bool
	committed map[string]int
}

// narrate returns a timeline whose world raises outcomes.
func narrate(c timeline.Config) (*timeline.Timeline, *outcome.Log, *diary) {
	w := testgame.Barracks(func(p *ecs.Protocol) {
		p.Simulate("tell", func(w *ecs.World) {
			for e, r := range ecs.EachInOrder[struct{ Health *health }](w) {
				if r.Health.Points < 1000 {
					outcome.Raise(w, e, wounded{r.Health.Points})
				}
			}
		})
	})
	log := outcome.New(w, outcome.Config{})
	d := &diary{map[uint64]bool{}, map[string]int{}}
	outcome.Handle(log, outcome.Handlers[wounded]{
		Begin: func(_ *ecs.World, o outcome.Outcome[wounded]) { d.open[o.ID] = true },
		Commit: func(_ *ecs.World, o outcome.Outcome[wounded]) {
			delete(d.open, o.ID)
			d.committed[fmt.Sprint(o.Tick, o.Subject.NetID, o.Value)]++
		},
		Cancel: func(_ *ecs.World, o outcome.Outcome[wounded]) { delete(d.open, o.ID) },
	})
	return timeline.New(w, c, log), log, d
}

// The outcomes of a world that goes back and forth end up equal to those of a world that only goes forward.
func TestOutcomesFollowTheTimeline(t *testing.T) {
	const ticks, window = 200, 30
	cancelled := uint64(0)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		all := story(r, ticks)
		config := timeline.Config{Window: window, Refill: window}
		forward, ahead, want := narrate(config)
		tell(t, r, forward, all, ticks+window)
		back, log, got := narrate(config)
		tell(t, r, back, disorder(r, all, window, false), ticks+window)
		ahead.Settle(ticks + window)
		log.Settle(ticks + window)
		testgame.Equal(t, "outcomes that stay open", len(got.open), 0)
		testgame.Equal(t, "outcomes", len(got.committed), len(want.committed))
		for o, n := range want.committed {
			testgame.Equal(t, "commits of "+o, got.committed[o], n)
		}
		cancelled += log.Stats().Cancelled
	}
	if cancelled == 0 {
		t.Error("nothing was ever withdrawn")
	}
}
