package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// A rotation is a quaternion x, y, z, w of length 1. q and −q are the same one, so
// that the component that is largest by magnitude can be made positive, left out
// and had back from the others: "smallest three". They lie within ±1/√2, and their
// words, 0..2^bits−1, stand for (v/(2^bits−1) − ½)·√2. Before them stands which
// one is missing, 0..3. The zero quaternion, and one that is not finite, becomes
// the identity 0, 0, 0, 1.

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
		quatsOf[float32](f, dst, src, w, stride, size, n)
	} else {
		quatsOf[float64](f, dst, src, w, stride, size, n)
	}
}

func quatsOf[T float32 | float64](f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
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
// Where two components are nearly equal, rounding can make the one left out
// smaller than another. What is decoded would then leave out that one and have
// other words than it was decoded from, and those perhaps yet others. So the largest
// of the three is brought down, a step at a time, until the one left out is larger:
// each step raises that one as well. Then the same component is left out of what is
// decoded, the three round to the words that they come from, and nothing is left to
// bring down: quantizing again changes nothing.
func (g *grid) quatWord(v vector, k reflect.Kind) [4]int32 {
	missing := v.largest()
	w := g.without(v, missing)
	clear := math.Abs(v[missing]) - float64(4*g.grain)
	for i := range v {
		if i != missing && math.Abs(v[i]) > clear {
			return g.cleared(w, k)
		}
	}
	// Rounding takes half a step from each of the three and less than two and a
	// half, for 4 bits, from the one left out.
	return w
}

// cleared brings words down to where the component left out is the largest.
func (g *grid) cleared(w [4]int32, kind reflect.Kind) [4]int32 {
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
		k := i + 1 // of component i in w, when the one left out is behind it
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

// largest returns the first component of the largest magnitude.
func (v *vector) largest() int {
	at := 0
	for i := range v {
		if math.Abs(v[i]) > math.Abs(v[at]) {
			at = i
		}
	}
	return at
}

// without returns the words of v that leave a component out.
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

// quatVector returns the rotation of words from anywhere, and whether its three
// components leave room for a fourth. If they do not, they are shortened.
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
