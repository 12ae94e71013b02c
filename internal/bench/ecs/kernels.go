package main

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/internal/bench/ratio"
)

const components = 1000

// avatar is a typical component: two coordinates, an angle and a flag.
type avatar struct {
	X, Y  float32 `net:"-512..512 step 0.01"`
	Aim   uint16  `net:"0..65535 step 256 angle"`
	Alive bool
}

const avatarWords = 4

// avatars returns a slice of components.
func avatars() (*schema.Table, []avatar) {
	table, err := schema.Compile(reflect.TypeFor[avatar](), nil)
	if err != nil {
		panic(err)
	}
	if table.Words != avatarWords {
		panic(fmt.Sprintf("an avatar has %d words", table.Words))
	}
	a := make([]avatar, components)
	for i := range a {
		a[i] = avatar{float32(i) - 499.7, float32(i%700) / 3, uint16(i * 77), i%3 == 0}
	}
	return table, a
}

// requireEqual panics if the results of the kernel and of the code written by hand differ.
func requireEqual[T any](what string, a, b T) {
	if !reflect.DeepEqual(a, b) {
		panic(fmt.Sprintf("%s differs from the code written by hand", what))
	}
}

//go:noinline
func quantizeByHand(dst []int32, src []avatar) (clamped int) {
	for i := range src {
		r, w := &src[i], dst[i*avatarWords:i*avatarWords+avatarWords]
		w[0] = gridByHand(r.X, &clamped)
		w[1] = gridByHand(r.Y, &clamped)
		w[2] = int32((uint32(r.Aim) + 128) >> 8 & 255)
		w[3] = 0
		if r.Alive {
			w[3] = 1
		}
	}
	return clamped
}

func gridByHand(v float32, clamped *int) int32 {
	x := (float64(v) + 512) / 0.01
	if x >= -0.5 && x < 102400.5 {
		return int32(x + 0.5)
	}
	*clamped++
	switch {
	case x >= 0:
		return 102400
	case x < 0:
		return 0
	}
	return 51200 // NaN: the middle
}

func quantizeVsHand(rounds int) (float64, string) {
	table, a := avatars()
	ours, theirs := make([]int32, components*avatarWords), make([]int32, components*avatarWords)
	byTable := func() { table.Quantize(ours, avatarWords, unsafe.Pointer(&a[0]), components) }
	byHand := func() { quantizeByHand(theirs, a) }
	byTable()
	byHand()
	requireEqual("Quantize", ours, theirs)
	m := ratio.Medians(rounds, byTable, byHand)
	return compare(m[0], m[1], components, "component")
}
