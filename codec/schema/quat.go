package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// A rotation is a quaternion x, y, z, w of length 1. q and −q are the same rotation. The encoding is "smallest three": the
// component with the largest magnitude is made positive and left out; the decoder computes it from the other three. These are
// within ±1/√2; their words v, 0..2^bits−1, mean (v/(2^bits−1) − ½)·√2. The first word, 0..3, is the index of the missing
// component. The zero quaternion and quaternions that are not finite become the identity 0, 0, 0, 1.

func quantizeQuat(f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
	src = unsafe.Add(src, f.Offset)
	if f.Kind == reflect.Float32 {
		return quatWords[float32](f, dst, w, stride, src, size, n)
	}
	return quatWords[float64](f, dst, w, stride, src, size, n)
}

func quatWords[T float32 | float64](f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off := uintptr(0)
	for range n {
		v, ok := readVector[T](unsafe.Add(src, off), 4).unit()
		if !ok {
			clamped++
			v = vector{3: 1}
		}
		*(*[4]int32)(dst[w:]) = f.quatWord(v, f.Kind)
		w += stride
		off += size
	}
	return clamped
}

func dequantizeQuat(f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	dst = unsafe.Add(dst, f.Offset)
	if f.Kind == reflect.Float32 {
		writeQuats[float32](f, dst, src, w, stride, size, n)
	} else {
		writeQuats[float64](f, dst, src, w, stride, size, n)
	}
}

func writeQuats[T float32 | float64](f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	off := uintptr(0)
	for range n {
		v, _ := f.quatVector([4]int32(src[w:]))
		writeVector[T](unsafe.Add(dst, off), 4, &v)
		w += stride
		off += size
	}
}

// quatWord returns the words of the rotation v.
//
// Rounding can make the missing component smaller than another if two are nearly equal. The decoded rotation would then be
// encoded with a different missing component and different words. In this case reduceOthers moves the largest of the three
// toward zero, step by step, until the missing component is larger; each step also increases the missing component. The
// decoded rotation then has the same missing component and the same words, so quantizing twice equals quantizing once.
func (g *grid) quatWord(v vector, k reflect.Kind) [4]int32 {
	missing := v.largest()
	w := g.without(v, missing)
	clear := math.Abs(v[missing]) - float64(4*g.grain)
	for i := range v {
		if i != missing && math.Abs(v[i]) > clear {
			return g.reduceOthers(w, k)
		}
	}
	// Rounding changes each of the three by at most half a step and the missing one, for 4 bits, by less than 2.5 steps.
	return w
}

// reduceOthers moves words toward zero until the missing component is the largest.
func (g *grid) reduceOthers(w [4]int32, kind reflect.Kind) [4]int32 {
	for {
		d, ok := g.quatVector(w)
		for i := range d {
			d[i] = round(kind, d[i])
		}
		missing := int(w[0])
		most := d[missing]
		d[missing] = 0
		i := d.largest()
		if ok && math.Abs(d[i]) < most {
			return w
		}
		k := i + 1 // index in w of component i, if the missing component comes later
		if i > missing {
			k--
		}
		if 2*w[k] > g.top {
			w[k]--
		} else {
			w[k]++
		}
	}
}

// largest returns the index of the component with the largest magnitude, the first of equal ones.
func (v *vector) largest() int {
	at := 0
	for i := range v {
		if math.Abs(v[i]) > math.Abs(v[at]) {
			at = i
		}
	}
	return at
}

// without returns the words of v with component missing left out.
func (g *grid) without(v vector, missing int) [4]int32 {
	w := [4]int32{int32(missing)}
	root := math.Sqrt2
	if v[missing] < 0 {
		root = -root
	}
	top := float64(g.top)
	for i, k := 0, 1; i < 4; i++ {
		if i != missing {
			x := float64((v[i]/root + 0.5) * top)
			w[k] = int32(min(max(x, 0), top) + 0.5)
			k++
		}
	}
	return w
}

// quatVector returns the rotation of any words. It returns false if the three components are longer than 1; they are then
// scaled to length 1 and the missing component is 0.
func (g *grid) quatVector(w [4]int32) (v vector, ok bool) {
	missing := int(min(max(w[0], 0), 3))
	top := float64(g.top)
	for i, k := 0, 1; i < 4; i++ {
		if i != missing {
			q := float64(min(max(w[k], 0), g.top))
			v[i] = float64((q/top - 0.5) * math.Sqrt2)
			k++
		}
	}
	s := v.square()
	if s < 1 {
		v[missing] = math.Sqrt(1 - s)
		return v, true
	}
	r := math.Sqrt(s)
	for i := range v {
		v[i] /= r
	}
	return v, false
}
