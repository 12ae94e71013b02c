package main

import (
	"fmt"
	"math"
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

// avatars returns two slices of components whose elements differ by less than the tolerance.
func avatars() (*schema.Table, []avatar, []avatar) {
	table, err := schema.Compile(reflect.TypeFor[avatar](), nil)
	if err != nil {
		panic(err)
	}
	if table.Words != avatarWords {
		panic(fmt.Sprintf("an avatar has %d words", table.Words))
	}
	a, b := make([]avatar, components), make([]avatar, components)
	for i := range a {
		a[i] = avatar{float32(i) - 499.7, float32(i%700) / 3, uint16(i * 77), i%3 == 0}
		b[i] = avatar{a[i].X + 0.004, a[i].Y - 0.004, a[i].Aim + uint16(i%200), a[i].Alive}
	}
	return table, a, b
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
	table, a, _ := avatars()
	ours, theirs := make([]int32, components*avatarWords), make([]int32, components*avatarWords)
	byTable := func() { table.Quantize(ours, avatarWords, unsafe.Pointer(&a[0]), components) }
	byHand := func() { quantizeByHand(theirs, a) }
	byTable()
	byHand()
	requireEqual("Quantize", ours, theirs)
	m := ratio.Medians(rounds, byTable, byHand)
	return compare(m[0], m[1], components, "component")
}

// tolerance is a step plus the rounding of a float32 at the end of the range.
const tolerance = 0.01 + 1.0/(1<<14)

//go:noinline
func compareByHand(a, b []avatar) (row, field int) {
	b = b[:len(a)]
	for i := range a {
		p, q := &a[i], &b[i]
		switch turn := int16(p.Aim - q.Aim); {
		case !(math.Abs(float64(p.X)-float64(q.X)) <= tolerance):
			return i, 0
		case !(math.Abs(float64(p.Y)-float64(q.Y)) <= tolerance):
			return i, 1
		case turn > 256 || turn < -256:
			return i, 2
		case p.Alive != q.Alive:
			return i, 3
		}
	}
	return -1, -1
}

func compareVsHand(rounds int) (float64, string) {
	table, a, b := avatars()
	check := func(what string) {
		row, field := table.CompareColumn(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), components)
		handRow, handField := compareByHand(a, b)
		requireEqual("CompareColumn, "+what, [2]int{row, field}, [2]int{handRow, handField})
	}
	check("all equal")
	for i, change := range []func(*avatar){
		func(v *avatar) { v.X += 0.1 }, func(v *avatar) { v.Y += 0.1 },
		func(v *avatar) { v.Aim += 300 }, func(v *avatar) { v.Alive = !v.Alive },
	} {
		was := b[900-i]
		change(&b[900-i])
		check("one different")
		b[900-i] = was
	}
	m := ratio.Medians(rounds, func() {
		table.CompareColumn(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), components)
	}, func() { compareByHand(a, b) })
	return compare(m[0], m[1], components, "component")
}

//go:noinline
func lerpByHand(dst, a, b []avatar, f float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		p, q := &a[i], &b[i]
		x, y := float64(p.X), float64(p.Y)
		turn := float64(int16(q.Aim - p.Aim))
		dst[i] = avatar{
			X:     float32(x + float64((float64(q.X)-x)*f)),
			Y:     float32(y + float64((float64(q.Y)-y)*f)),
			Aim:   uint16(int32(math.Floor(float64(p.Aim) + float64(turn*f) + 0.5))),
			Alive: p.Alive,
		}
	}
}

func lerpVsHand(rounds int) (float64, string) {
	const f = 0.37
	table, a, b := avatars()
	ours, theirs := make([]avatar, components), make([]avatar, components)
	byTable := func() {
		table.LerpColumn(unsafe.Pointer(&ours[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), components, f)
	}
	byHand := func() { lerpByHand(theirs, a, b, f) }
	byTable()
	byHand()
	requireEqual("LerpColumn", ours, theirs)
	m := ratio.Medians(rounds, byTable, byHand)
	return compare(m[0], m[1], components, "component")
}
