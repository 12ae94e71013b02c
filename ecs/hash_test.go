package ecs_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestHashIgnoresPaddingAndWhatStaysAtHome(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{}, odd{A: 1, B: 2, C: 3}, hat{1}, cooldown{1}, push{1})
	want := w.Hash()
	for i, b := range unsafe.Slice((*byte)(unsafe.Pointer(ecs.Get[odd](w, e))), unsafe.Sizeof(odd{})) {
		if f := uintptr(i); f > unsafe.Offsetof(odd{}.A) && f < unsafe.Offsetof(odd{}.B) || f > unsafe.Offsetof(odd{}.C) {
			*(*byte)(unsafe.Add(unsafe.Pointer(ecs.Get[odd](w, e)), i)) = ^b
		}
	}
	equal(t, "padding", w.Hash(), want)
	ecs.Get[hat](w, e).Feathers++
	ecs.Get[cooldown](w, e).Left++
	ecs.Get[push](w, e).DX = 0
	w.Spawn(hat{9})
	equal(t, "local values", w.Hash(), want)
}

func TestHashChangesWithEveryField(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{}, speed{}, health{}, odd{}, components.Owner{Client: 1})
	f := w.Spawn(place{})
	seen := map[uint64]string{w.Hash(): "at first"}
	look := func(what string) {
		t.Helper()
		if other, clash := seen[w.Hash()]; clash {
			t.Errorf("%s hashes like %s", what, other)
		}
		seen[w.Hash()] = what
	}
	flip := func(what string, p *int32) {
		*p++
		look(what)
		*p--
	}
	flip("place.X", &ecs.Get[place](w, e).X)
	flip("place.Y", &ecs.Get[place](w, e).Y)
	flip("the other's place.X", &ecs.Get[place](w, f).X)
	*ecs.Get[place](w, e), *ecs.Get[place](w, f) = place{1, 0}, place{2, 0}
	look("two places")
	*ecs.Get[place](w, e), *ecs.Get[place](w, f) = place{2, 0}, place{1, 0}
	look("the same places, exchanged")
	flip("speed.X", &ecs.Get[speed](w, e).X)
	ecs.Get[health](w, e).Points++
	look("health")
	ecs.Get[odd](w, e).A++
	look("odd.A")
	ecs.Get[odd](w, e).B += 1 << 40
	look("odd.B")
	ecs.Get[odd](w, e).C++
	look("odd.C")
	ecs.Get[components.Owner](w, e).Client++
	look("Owner")
	ecs.Add(w, f, flag{})
	look("a component without fields")
	ecs.Add(w, f, speed{})
	look("a component of zeros")
	w.Spawn(place{})
	look("another entity")
	w.Despawn(f)
	look("one less")
}

func TestHashIsEqualOnServerAndReplicas(t *testing.T) {
	server, client := newServer(), newClient()
	populate(server, 64)
	for i := range int32(10) {
		server.Spawn(place{i, i}, components.Owner{Client: 1}, push{1})
	}
	server.Despawn(func() ecs.Entity { e, _ := server.ByNetID(5); return e }())
	copyTo(server, client)
	equal(t, "hash", client.Hash(), server.Hash())
	if server.Hash() == newServer().Hash() {
		t.Error("it hashes like an empty world")
	}
	for seed := range uint64(5) {
		client.Shuffle(seed)
		equal(t, "hash after a shuffle", client.Hash(), server.Hash())
	}
	refused(t, func() { system(client, func(w *ecs.World) { w.Shuffle(1) }) }, "between stages")
}

// copyTo makes replicas of all networked entities, every other one predicted,
// last ones first.
func copyTo(from, to *ecs.World) {
	var tables []ecs.Table
	for t := range from.Netcode().Tables {
		tables = append(tables, t)
	}
	for k := len(tables) - 1; k >= 0; k-- {
		t := tables[k]
		for i := len(t.NetIDs) - 1; i >= 0; i-- {
			id := t.NetIDs[i]
			e := to.Netcode().Replica(id, t.Mask, id%2 == 0)
			for _, c := range from.Protocol().Replicated() {
				if c.Words > 0 && t.Mask&(1<<c.Replicated()) != 0 {
					n := c.Schema.Size
					src := unsafe.Add(t.Column(c), uintptr(i)*n)
					twin := to.Protocol().Replicated()[c.Replicated()]
					copy(unsafe.Slice((*byte)(to.Netcode().Pointer(e, twin)), n), unsafe.Slice((*byte)(src), n))
				}
			}
		}
	}
}

func TestHashOfTellsWhichComponent(t *testing.T) {
	a, b, es := twins()
	list := a.Protocol().Components()
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	equal(t, "components", strings.Join(names, " "), "Owner SpawnKey place speed health odd flag cooldown hat push satchel secret")
	differing := func() (found string) {
		for i, c := range list {
			if a.HashOf(c) != b.HashOf(b.Protocol().Components()[i]) {
				found += c.Name + " "
			}
		}
		return found
	}
	equal(t, "differing", differing(), "")
	ecs.Get[secret](a, es[3]).Ways.At = 1
	equal(t, "differing", differing(), "secret ")
	equal(t, "the hash of what travels", a.Hash(), b.Hash())
	ecs.Add(a, es[4], hat{})
	equal(t, "differing", differing(), "hat secret ")
}

func TestHashFieldsTellsWhichField(t *testing.T) {
	a, b, es := twins()
	satchelC, secretC := ecs.ComponentOf[satchel](a.Protocol()), ecs.ComponentOf[secret](a.Protocol())
	check := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, c := range [][2]*ecs.Component{{satchelC, ecs.ComponentOf[satchel](b.Protocol())}, {secretC, ecs.ComponentOf[secret](b.Protocol())}} {
			var sums []uint64
			for _, sum := range b.HashFields(c[1]) {
				sums = append(sums, sum)
			}
			for path, sum := range a.HashFields(c[0]) {
				if sum != sums[0] {
					got = append(got, path)
				}
				sums = sums[1:]
			}
		}
		equal(t, what, strings.Join(got, " "), strings.Join(want, " "))
	}
	check("nothing")
	s := ecs.Get[satchel](a, es[3])
	s.Cache = 5
	check("unreplicated")
	s.Label.Set("abc")
	check("a text", "Label", "Label", "Label", "Label")
	s.Label.Set("")
	s.Size[1].H = 4
	s.Items.Append(7)
	check("two fields", "Items", "Items[0]", "Size[1].H")
	ecs.Get[secret](a, es[9]).Code[1] = 1
	for path := range a.HashFields(satchelC) {
		equal(t, "first", path, "Lid")
		break
	}
	check("a local one too", "Items", "Items[0]", "Size[1].H", "Code[1]")
}
