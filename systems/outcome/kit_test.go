package outcome_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/outcome"
)

// kill and goal are two types of outcomes.
type (
	kill struct{ By uint8 }
	goal struct{ By uint8 }
)

// told is one call of a handler.
type told struct {
	phase   string
	kind    string
	id      uint64
	tick    uint32
	subject components.NetID
	by      uint8
}

func (c told) String() string {
	return fmt.Sprintf("%s %s of %d by %d at %d", c.phase, c.kind, c.subject, c.by, c.tick)
}

// raised is one call of Raise.
type raised struct {
	goal  bool
	about int // place among the entities, counted from 1; 0: the world
	by    uint8
}

// stage is a world with a log and a few entities. It records the calls of handlers.
type stage struct {
	w        *ecs.World
	log      *outcome.Log
	entities []ecs.Entity
	told     []told
}

func newStage(c outcome.Config) *stage {
	s := &stage{w: ecs.NewWorld(testgame.Stage(), ecs.Config{})}
	s.log = outcome.New(s.w, c)
	for range 4 {
		s.entities = append(s.entities, s.w.Spawn(components.Heading{}))
	}
	s.listen()
	return s
}

// listen handles both types.
func (s *stage) listen() {
	outcome.Handle(s.log, handlers(s, "kill", func(k kill) uint8 { return k.By }))
	outcome.Handle(s.log, handlers(s, "goal", func(g goal) uint8 { return g.By }))
}

// handlers returns handlers that record their calls.
func handlers[T any](s *stage, kind string, by func(T) uint8) outcome.Handlers[T] {
	write := func(phase string) func(*ecs.World, outcome.Outcome[T]) {
		return func(_ *ecs.World, o outcome.Outcome[T]) {
			s.told = append(s.told, told{phase, kind, o.ID, o.Tick, o.Subject.NetID, by(o.Value)})
		}
	}
	return outcome.Handlers[T]{Begin: write("begin"), Commit: write("commit"), Cancel: write("cancel")}
}

// tick simulates one.
func (s *stage) tick(t uint32, rs ...raised) {
	s.log.Start(t)
	s.raise(rs...)
	s.log.Done()
}

func (s *stage) raise(rs ...raised) {
	for _, r := range rs {
		var about ecs.Entity
		if r.about > 0 {
			about = s.entities[r.about-1]
		}
		if r.goal {
			outcome.Raise(s.w, about, goal{r.by})
		} else {
			outcome.Raise(s.w, about, kill{r.by})
		}
	}
}

// settle settles the log, and returns the calls.
func (s *stage) settle(horizon uint32) []told {
	s.told = s.told[:0]
	s.log.Settle(horizon)
	return s.told
}

// expect compares calls with their texts.
func expect(t *testing.T, got []told, want ...string) {
	t.Helper()
	var texts []string
	for _, c := range got {
		texts = append(texts, c.String())
	}
	if !slices.Equal(texts, want) {
		t.Errorf("got  %q\nwant %q", texts, want)
	}
}
