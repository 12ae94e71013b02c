package ecs_test

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// lever is an input whose neutral value is not zero.
type lever struct {
	Way  int8  `net:"-1..1"`
	Gear uint8 `net:"1..5"`
}

func levers(c ecs.Config) *ecs.World {
	return ecs.NewWorld(bare("levers", func(p *ecs.Protocol) {
		ecs.Replicate[place](p, ecs.Predicted)
		ecs.Replicate[flag](p, 0)
		ecs.Input[lever](p)
	}), c)
}

// leverOf returns the input of a player: of 1 to 4 some, of others none.
func leverOf(owner uint32) unsafe.Pointer {
	if owner == 0 || owner > 4 {
		return nil
	}
	return unsafe.Pointer(&lever{Way: 1, Gear: uint8(owner) + 1})
}

func wantLever(owner uint32) lever {
	if p := leverOf(owner); p != nil {
		return *(*lever)(p)
	}
	return lever{Gear: 1}
}

// Every entity gets the input of its present owner, and the neutral input without an owner, whatever input it had and in
// whatever order the owners are stored.
func TestGiveInputs(t *testing.T) {
	w := levers(ecs.Config{Seed: 3})
	r := w.Rand(ecs.Entity{})
	var es []ecs.Entity
	for i := range 200 {
		in, who := lever{Way: -1, Gear: 5}, components.Owner{Client: uint32(r.IntN(7))}
		switch i % 4 {
		case 0:
			es = append(es, w.Spawn(who, in))
		case 1:
			es = append(es, w.Spawn(who, in, flag{}))
		case 2:
			es = append(es, w.Spawn(in, place{}))
		case 3:
			es = append(es, w.Spawn(who, place{}))
		}
	}
	for round := range 20 {
		for range 20 {
			switch e := es[r.IntN(len(es))]; {
			case ecs.Has[flag](w, e):
				ecs.Remove[components.Owner](w, e)
			default:
				ecs.Add(w, e, components.Owner{Client: uint32(r.IntN(7))})
			}
		}
		w.Netcode().GiveInputs(leverOf)
		for i, e := range es {
			in, o := ecs.Get[lever](w, e), ecs.Get[components.Owner](w, e)
			if o == nil {
				o = &components.Owner{}
			}
			if in != nil && *in != wantLever(o.Client) {
				t.Fatalf("round %d: entity %d of owner %d has %+v", round, i, o.Client, *in)
			}
		}
	}
}

// GiveInput changes the entities of one owner only. On a client, both functions change simulated entities only.
func TestGiveInput(t *testing.T) {
	w, client := levers(ecs.Config{}), levers(ecs.Config{Client: true})
	var es []ecs.Entity
	for i := range uint32(9) {
		es = append(es, w.Spawn(components.Owner{Client: i % 3}, lever{Gear: 4}))
	}
	given := lever{Way: -1, Gear: 3}
	w.Netcode().GiveInput(2, unsafe.Pointer(&given))
	for i, e := range es {
		equal(t, "input", *ecs.Get[lever](w, e), []lever{{Gear: 4}, {Gear: 4}, given}[i%3])
	}
	w.Netcode().GiveInput(2, nil)
	equal(t, "no input", *ecs.Get[lever](w, es[2]), lever{Gear: 1})
	equal(t, "another's input", *ecs.Get[lever](w, es[1]), lever{Gear: 4})

	mask := maskOf(client.Protocol().Replicated()[0], client.Protocol().Input())
	mine, other := client.Netcode().Replica(7, mask, true), client.Netcode().Replica(8, mask, false)
	for _, e := range []ecs.Entity{mine, other} {
		ecs.Get[components.Owner](client, e).Client = 2
	}
	client.Netcode().GiveInputs(leverOf)
	equal(t, "its own", *ecs.Get[lever](client, mine), wantLever(2))
	equal(t, "not simulated", *ecs.Get[lever](client, other), wantLever(0))
}

// On a client, an entity that it does not simulate has the neutral input: when it appears, and once another player drives it.
func TestInputsOfWhatAClientDoesNotSimulate(t *testing.T) {
	w := levers(ecs.Config{Client: true})
	shape := maskOf(w.Protocol().Replicated()[0], ecs.ComponentOf[lever](w.Protocol()))
	e := w.Netcode().Replica(1, shape, true)
	ecs.Get[components.Owner](w, e).Client = 2
	w.Netcode().GiveInputs(leverOf)
	equal(t, "driven", *ecs.Get[lever](w, e), wantLever(2))
	w.Netcode().Replica(1, shape, false)
	equal(t, "given away", *ecs.Get[lever](w, e), wantLever(0))
	equal(t, "another's", *ecs.Get[lever](w, w.Netcode().Replica(2, shape, false)), wantLever(0))
}
