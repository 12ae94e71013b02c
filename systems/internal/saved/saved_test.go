package saved

import (
	"errors"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func sample() *State {
	return &State{
		Tick: 900, TickRate: 60, Numbers: 7, Returns: 2, InputLine: "Move DX",
		Players: []Player{
			{Player: 1 << 60, Client: 3, Input: 88, From: 5, First: 9, Connected: true, Inputs: []timeline.Input{{Tick: 899, Words: []int32{-1, 4}}, {Tick: 902, Words: []int32{}}}},
			{Client: 4, Leaves: true},
		},
		Commands: []Command{{3, "Name N", "\x05"}},
		Outcomes: []byte{1, 2}, World: []byte("the world"),
	}
}

func TestState(t *testing.T) {
	x := sample()
	b := x.Append(nil)
	got, err := Parse(b)
	if err != nil || !reflect.DeepEqual(got, x) {
		t.Fatalf("%+v\n%+v: %v", got, x, err)
	}
	for n := range len(b) - len(x.World) {
		if _, err := Parse(b[:n]); !errors.Is(err, ErrSave) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	for _, change := range []func(x *State){
		func(x *State) { x.Players[1].Client = 3 }, func(x *State) { x.Players[0].Client = 0 },
		func(x *State) { x.Players[1] = Player{Player: 1 << 60, Client: 5} }, func(x *State) { x.Tick = 1<<32 - 1 },
		func(x *State) { x.Players[0].From = 901 },
	} {
		bad := sample()
		change(bad)
		if _, err := Parse(bad.Append(nil)); !errors.Is(err, ErrSave) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(new(State).Append(nil))
	f.Add(sample().Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrSave) {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(x.Append(nil))
		if err != nil || !reflect.DeepEqual(again, x) {
			t.Fatalf("%+v\n%+v: %v", again, x, err)
		}
	})
}
