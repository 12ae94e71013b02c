package serverapply

import (
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Each tick consumes one pending input of an absent player, or a filler in place of a missing one, and then the neutral input.
// Inputs that cannot be used are left out. The rest is dropped if the player returns or leaves.
func TestPendingInputsOfAbsentPlayers(t *testing.T) {
	restore := func() (*server, *System, func() uint16) {
		s := newServer(nil)
		sys := New(NewIntake(s.world, s.config), timeline.Listeners{})
		e := s.world.Spawn(components.Owner{Client: 3}, numbered{})
		words := make([]int32, numberedTable(t).Words)
		input := func(tick uint32, n int32) timeline.Input {
			w := append([]int32(nil), words...)
			w[0] = n
			return timeline.Input{Tick: tick, Words: w}
		}
		p := saved.Player{Client: 3, Input: 40, Inputs: []timeline.Input{
			input(0, 99), input(1, 41), input(2, 42), {Tick: 3, Words: make([]int32, len(words)+1)}, input(4, 44), input(1+minWindow, 99),
		}}
		if err := sys.Load(&p); err != nil || p.Input != 44 {
			t.Fatalf("the newest input is %d, error %v", p.Input, err)
		}
		return s, sys, func() uint16 {
			s.world.Netcode().SetTick(s.tick)
			sys.Run(s.world)
			s.tick++
			if held := ecs.Get[numbered](s.world, e); held != nil {
				return held.N
			}
			return 0 // the player has left
		}
	}

	_, sys, tick := restore()
	x := saved.State{Players: []saved.Player{{Client: 3}}}
	if sys.Save(&x); len(x.Players[0].Inputs) != 3 || x.Players[0].Inputs[2].Tick != 4 || x.Players[0].Input != 40 {
		t.Errorf("pending %+v", x.Players[0])
	}
	var got []uint16
	for range 6 {
		got = append(got, tick())
	}
	if want := []uint16{41, 42, 42, 44, 0, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("consumed %v, want %v", got, want)
	}
	if st := sys.Stats(); st.Consumed != 3 || st.Missing != 1 || len(sys.byID)+len(sys.absent) != 0 {
		t.Errorf("%+v, and %d players are left", st, len(sys.absent))
	}

	s, sys, tick := restore()
	tick()
	c := sys.Add(3, session{}, &s.notices, &s.logged)
	_ = sys.Join(3, "", true, 44)
	if n := tick(); n != 0 || c.Consumed() != 44 || len(sys.absent) != 0 || sys.byID[3] != c {
		t.Errorf("after the return it holds %d, and input %d was consumed", n, c.Consumed())
	}

	_, sys, tick = restore()
	tick()
	sys.Depart([]uint32{3})
	tick()
	if len(sys.byID)+len(sys.absent) != 0 {
		t.Error("inputs of a player who has left are kept")
	}
}
