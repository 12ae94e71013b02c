package ecs_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// satchel has what does not count, padding and a field that does not travel, and
// of each form of field one.
type satchel struct {
	Lid   uint8                            `net:"raw"`
	Cache float32                          `net:"-"`
	Items components.List[uint8, [4]uint8] `net:"0..255"`
	Label components.Text[[6]byte]         `net:"text"`
	Size  [2]struct{ H, W float32 }        `net:"raw"`
	Way   struct{ X, Y float32 }           `net:"unit 10"`
}

// secret stays on its peer, and all of it counts.
type secret struct {
	_    [3]uint8
	Code [2]uint16
	Ways struct {
		Open bool
		At   float64
		Far  float32
		Turn complex64
	}
}

// twins returns two worlds with the same entities in another order of storage.
func twins() (a, b *ecs.World, es []ecs.Entity) {
	things := func(p *ecs.Protocol) {
		ecs.Replicate[satchel](p, ecs.Predicted)
		ecs.Local[secret](p, ecs.Predicted)
	}
	a, b = newServer(things), newServer(things)
	for i := range int32(20) {
		es = append(es, a.Spawn(place{i, i}, satchel{Lid: 1}, secret{}))
		b.Spawn(place{i, i}, satchel{Lid: 1}, secret{})
	}
	b.Shuffle(1)
	return a, b, es
}

func TestDiffersNamesTheFirstComponentAndField(t *testing.T) {
	for name, test := range map[string]struct {
		change func(w *ecs.World, e ecs.Entity)
		want   ecs.Difference
		same   bool
	}{
		"nothing":       {change: func(*ecs.World, ecs.Entity) {}, same: true},
		"a field":       {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Lid = 7 }, want: ecs.Difference{Component: "satchel", Field: "Lid", A: "1", B: "7"}},
		"unreplicated":  {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Cache = 7 }, same: true},
		"negative zero": {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Size[1].W = float32(math.Copysign(0, -1)) }, same: true},
		"a length":      {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Items.Append(3) }, want: ecs.Difference{Component: "satchel", Field: "Items", A: "0", B: "1"}},
		"a text":        {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Label.Set("abc") }, want: ecs.Difference{Component: "satchel", Field: "Label", A: `""`, B: `"abc"`}},
		"an array":      {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Size[1].W = 2 }, want: ecs.Difference{Component: "satchel", Field: "Size[1].W", A: "0", B: "2"}},
		"a direction":   {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[satchel](w, e).Way.Y = 1 }, want: ecs.Difference{Component: "satchel", Field: "Way", A: "(0 0)", B: "(0 1)"}},
		"the first of two": {change: func(w *ecs.World, e ecs.Entity) {
			*ecs.Get[place](w, e) = place{-1, -1}
			ecs.Get[secret](w, e).Code[1] = 3
		}, want: ecs.Difference{Component: "place", Field: "X", B: "-1"}},
		"a local one":     {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Code[1] = 3 }, want: ecs.Difference{Component: "secret", Field: "Code[1]", A: "0", B: "3"}},
		"a local bool":    {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Ways.Open = true }, want: ecs.Difference{Component: "secret", Field: "Ways.Open", A: "false", B: "true"}},
		"a local float":   {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Ways.Far = 0.5 }, want: ecs.Difference{Component: "secret", Field: "Ways.Far", A: "0", B: "0.5"}},
		"a local double":  {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Ways.At = 0.5 }, want: ecs.Difference{Component: "secret", Field: "Ways.At", A: "0", B: "0.5"}},
		"a local NaN":     {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Ways.Far = float32(math.NaN()) }, want: ecs.Difference{Component: "secret", Field: "Ways.Far", A: "0", B: "NaN"}},
		"a local complex": {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Ways.Turn = 1i }, want: ecs.Difference{Component: "secret", Field: "Ways.Turn", A: "(0+0i)", B: "(0+1i)"}},
		"a local −0":      {change: func(w *ecs.World, e ecs.Entity) { ecs.Get[secret](w, e).Ways.At = math.Copysign(0, -1) }, same: true},
		"one more":        {change: func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, hat{}) }, want: ecs.Difference{Component: "hat", A: "absent", B: "present"}},
		"one less":        {change: func(w *ecs.World, e ecs.Entity) { ecs.Remove[place](w, e) }, want: ecs.Difference{Component: "place", A: "present", B: "absent"}},
		"a death":         {change: func(w *ecs.World, e ecs.Entity) { w.Despawn(e) }, want: ecs.Difference{A: "present", B: "absent"}},
		"a mark":          {change: func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, components.Predicted{}) }, same: true},
	} {
		a, b, es := twins()
		h := ecs.NewWorldHistory(a, 2)
		h.Capture(1)
		for _, at := range []int{11, 6} { // the later one is not the first
			e, _ := b.ByNetID(a.NetID(es[at]))
			test.change(b, e)
		}
		d, differs := ecs.Differs(a, b)
		back, there := ecs.Differs(b, a)
		for _, at := range []int{6, 11} {
			test.change(a, es[at])
		}
		a.Shuffle(3)
		own, since, err := h.Differs(1)
		if differs == test.same || there == test.same || since == test.same || err != nil {
			t.Errorf("%s: differs %t, %t, %t, %v", name, differs, there, since, err)
		}
		if test.same {
			continue
		}
		test.want.NetID = 7
		if test.want.A == "" {
			test.want.A = "6"
		}
		for what, d := range map[string]ecs.Difference{"two worlds": d, "a history": own} {
			if d.Entity.IsZero() || !strings.Contains(d.String(), "entity 7") || !strings.Contains(d.String(), d.Field) {
				t.Errorf("%s, %s: %v", name, what, d)
			}
			d.Entity = ecs.Entity{}
			equal(t, name+", "+what, d, test.want)
		}
		if back.A != d.B || back.B != d.A || back.Field != d.Field {
			t.Errorf("%s: %v the other way round", name, back)
		}
	}
}

func TestDiffersWithoutNetIDs(t *testing.T) {
	w := newServer()
	e := w.Spawn(hat{1})
	h := ecs.NewWorldHistory(w, 2)
	h.Capture(1)
	ecs.Get[hat](w, e).Feathers = 2
	d, _, _ := h.Differs(1)
	equal(t, "difference", d, ecs.Difference{Entity: e, Component: "hat", Field: "Feathers", A: "1", B: "2"})
	equal(t, "text", d.String(), "hat.Feathers of "+e.String()+": 1 and 2")
	h.Restore(1)
	w.Spawn(hat{})
	if d, differs, _ := h.Differs(1); !differs || d.A != "absent" || d.NetID != 0 {
		t.Errorf("one more: %v", d)
	}
	h.Restore(1)
	w.Despawn(w.Spawn(place{}))
	if d, differs, _ := h.Differs(1); !differs || d.Field != "next" || d.A != "1" || d.B != "2" {
		t.Errorf("a name used up: %v", d)
	}
}
