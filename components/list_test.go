package components_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
)

func ExampleList() {
	type Slot struct {
		Item  uint16 `net:"0..500"`
		Count uint8  `net:"0..99"`
	}
	type Bag struct {
		Slots components.List[Slot, [2]Slot]
	}
	var bag Bag
	fmt.Println(bag.Slots.Append(Slot{7, 1}), bag.Slots.Append(Slot{9, 3}), bag.Slots.Append(Slot{11, 1}))
	bag.Slots.At(1).Count++
	bag.Slots.Remove(0)
	for i, s := range bag.Slots.All() {
		fmt.Println(i, s.Item, s.Count)
	}
	// Output:
	// true true false
	// 0 9 4
}

// A list behaves like a slice with a limited length.
func TestListAgainstSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var l components.List[int32, [7]int32]
	var want []int32
	for step := range 20000 {
		switch op := rng.IntN(8); {
		case op < 4:
			v := rng.Int32()
			if l.Append(v) != (len(want) < 7) {
				t.Fatalf("step %d: append at %d", step, len(want))
			}
			if len(want) < 7 {
				want = append(want, v)
			}
		case op == 7 && rng.IntN(20) == 0:
			l.Clear()
			want = want[:0]
		case len(want) == 0:
		case op < 6:
			i := rng.IntN(len(want))
			l.Remove(i)
			want = slices.Delete(want, i, i+1)
		default:
			i := rng.IntN(len(want))
			l.RemoveSwap(i)
			want[i] = want[len(want)-1]
			want = want[:len(want)-1]
		}
		var got []int32
		var fresh components.List[int32, [7]int32]
		for i, v := range l.All() {
			if l.Get(i) != *v {
				t.Fatalf("step %d: element %d", step, i)
			}
			got = append(got, *v)
			fresh.Append(*v)
		}
		if !slices.Equal(got, want) || l.Len() != len(want) || l.Cap() != 7 {
			t.Fatalf("step %d: %v, want %v", step, got, want)
		}
		if l != fresh {
			t.Fatalf("step %d: memory behind the end is not zero", step)
		}
	}
}

func TestListBounds(t *testing.T) {
	var l components.List[int8, [4]int8]
	l.Append(1)
	for name, f := range map[string]func(){
		"at":          func() { l.At(1) },
		"below":       func() { l.At(-1) },
		"get":         func() { l.Get(1) },
		"remove":      func() { l.Remove(1) },
		"remove swap": func() { l.RemoveSwap(3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestListStops(t *testing.T) {
	var l components.List[int8, [4]int8]
	l.Append(1)
	l.Append(2)
	for i := range l.All() {
		if i == 1 {
			t.Error("did not stop")
		}
		break
	}
}
