package outcome_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/outcome"
)

// fighter is a player of a small brawl. A swing hurts a neighbour, and a killed player is moved elsewhere. One late input
// changes everything that follows.
type fighter struct {
	Place  int8  `net:"0..15"`
	Health uint8 `net:"0..3"`
}

// swing is an input: a step, or a blow.
type swing struct {
	Step int8 `net:"-1..1"`
	Hit  bool
}

type brawler struct {
	F *fighter
	S *swing
}

const fighters = 4

// brawl is a world with a log that writes down all commits.
type brawl struct {
	w       *ecs.World
	log     *outcome.Log
	history *ecs.History
	players [fighters]ecs.Entity
	begun   map[uint64]bool
	commits []string
	cancels int
}

func newBrawl(t *testing.T, ticks int) *brawl {
	p := testgame.Stage(ecs.Input[swing])
	ecs.Replicate[fighter](p, ecs.Predicted)
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[brawler](w) {
			r.F.Place = (r.F.Place + r.S.Step) & 15
		}
	})
	p.Simulate("hit", func(w *ecs.World) {
		for _, a := range ecs.EachInOrder[brawler](w) {
			if !a.S.Hit {
				continue
			}
			for e, b := range ecs.EachInOrder[brawler](w) {
				if a.F == b.F || a.F.Place != b.F.Place {
					continue
				}
				if b.F.Health--; b.F.Health == 0 {
					outcome.Raise(w, e, kill{uint8(a.F.Place)})
					b.F.Health, b.F.Place = 3, (b.F.Place+5)&15
				}
			}
		}
	})
	b := &brawl{w: ecs.NewWorld(p, ecs.Config{}), begun: map[uint64]bool{}}
	b.log = outcome.New(b.w, outcome.Config{})
	end := func(o outcome.Outcome[kill]) {
		if !b.begun[o.ID] {
			t.Errorf("outcome %d ends and is not open", o.ID)
		}
		delete(b.begun, o.ID)
	}
	outcome.Handle(b.log, outcome.Handlers[kill]{
		Begin: func(_ *ecs.World, o outcome.Outcome[kill]) { b.begun[o.ID] = true },
		Commit: func(_ *ecs.World, o outcome.Outcome[kill]) {
			end(o)
			b.commits = append(b.commits, fmt.Sprintf("%d killed at %d in place %d", o.Subject.NetID, o.Tick, o.Value.By))
		},
		Cancel: func(_ *ecs.World, o outcome.Outcome[kill]) {
			end(o)
			b.cancels++
		},
	})
	for i := range b.players {
		b.players[i] = b.w.Spawn(components.Owner{Client: uint32(i + 1)}, fighter{Place: int8(i), Health: 3}, swing{})
	}
	b.history = ecs.NewHistory(b.w, ticks+1)
	b.history.Capture(0)
	return b
}

// tick simulates one with the inputs of all, and keeps the state after it.
func (b *brawl) tick(t uint32, inputs [fighters]swing) {
	for i, e := range b.players {
		*ecs.Get[swing](b.w, e) = inputs[i]
	}
	b.w.Netcode().SetTick(t)
	b.log.Start(t)
	b.w.Netcode().SimulateStage().Run(b.w)
	b.log.Done()
	b.history.Capture(t)
}

// A world that predicts inputs, rewinds when others arrive, and settles at the first tick with a missing input commits exactly
// the outcomes of a world that had all inputs in time, in the same order.
func TestRollbackCommitsWhatHappened(t *testing.T) {
	const ticks = 600
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 6))
			var truth [ticks + 1][fighters]swing
			var arrival [ticks + 1][fighters]uint32
			for i := range fighters {
				var held swing
				for tick := uint32(1); tick <= ticks; tick++ {
					if r.IntN(6) == 0 {
						held = swing{Step: int8(r.IntN(3) - 1), Hit: r.IntN(2) == 0}
					}
					truth[tick][i] = held
					arrival[tick][i] = tick + uint32(r.IntN(12))
				}
			}

			forward := newBrawl(t, ticks)
			for tick := uint32(1); tick <= ticks; tick++ {
				forward.tick(tick, truth[tick])
				forward.log.Settle(tick + 1)
			}

			guessing := newBrawl(t, ticks)
			resimulated := 0
			used := [ticks + 1][fighters]swing{}
			// input is the newest one known at a moment for a tick: what is held, if its
			// own is not.
			input := func(now, tick uint32, player int) swing {
				for ; tick > 0 && arrival[tick][player] > now; tick-- {
				}
				return truth[tick][player]
			}
			for now := uint32(1); now <= ticks+12; now++ {
				last := min(now, ticks)
				oldest := now // newly simulated, or changed
				horizon := last + 1
				for tick := last; tick > 0 && tick+14 > last; tick-- {
					for i := range fighters {
						if tick < now && input(now, tick, i) != used[tick][i] {
							oldest = tick
						}
						if arrival[tick][i] > now {
							horizon = tick
						}
					}
				}
				if oldest < now {
					guessing.log.Rewind(oldest)
					guessing.history.Restore(oldest - 1)
					resimulated += int(last - oldest)
				}
				for tick := oldest; tick <= last; tick++ {
					for i := range fighters {
						used[tick][i] = input(now, tick, i)
					}
					guessing.tick(tick, used[tick])
				}
				guessing.log.Settle(horizon)
			}

			if guessing.w.Hash() != forward.w.Hash() {
				t.Fatal("the two worlds are not the same in the end")
			}
			if !slices.Equal(guessing.commits, forward.commits) {
				t.Fatalf("got  %q\nwant %q", guessing.commits, forward.commits)
			}
			s := guessing.log.Stats()
			if len(guessing.begun) != 0 || s.Begun != s.Committed+s.Cancelled || s.Late+s.Refused+uint64(s.Open) != 0 {
				t.Errorf("%d begun and not ended: %+v", len(guessing.begun), s)
			}
			if len(forward.commits) < 5 || guessing.cancels == 0 || forward.cancels != 0 {
				t.Errorf("%d kills, %d and %d withdrawn: too little happened", len(forward.commits), forward.cancels, guessing.cancels)
			}
			t.Logf("%d kills, %d withdrawn, %d ticks simulated again", len(forward.commits), guessing.cancels, resimulated)
		})
	}
}
