package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// This file has one kernel for each way to compare and to interpolate columns of integers. The choice of the kernel is made
// once per column, and kernels call no functions, so a row costs little more than its loads. All kernels agree bit for bit
// with Field.differ and lerpNumbers, which work for any number.

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

// integersDiffer returns the first of n rows in which integers or bools differ, or n.
func integersDiffer(f *Field, a, b unsafe.Pointer, size uintptr, n int) int {
	switch f.Kind {
	case reflect.Int8:
		return columnDiffers[int8](f, a, b, size, n)
	case reflect.Bool, reflect.Uint8:
		return columnDiffers[uint8](f, a, b, size, n)
	case reflect.Int16:
		return columnDiffers[int16](f, a, b, size, n)
	case reflect.Uint16:
		return columnDiffers[uint16](f, a, b, size, n)
	case reflect.Int32:
		return columnDiffers[int32](f, a, b, size, n)
	case reflect.Uint32:
		return columnDiffers[uint32](f, a, b, size, n)
	case reflect.Int64:
		return columnDiffers[int64](f, a, b, size, n)
	}
	return columnDiffers[uint64](f, a, b, size, n)
}

func columnDiffers[T integer](f *Field, a, b unsafe.Pointer, size uintptr, n int) int {
	switch {
	case f.Angle && f.slack >= f.cycle/2:
		return n // two angles differ by at most half a turn
	case f.Angle && f.cycle&(f.cycle-1) == 0:
		return turnsApart[T](a, b, f.Offset, size, n, f.slack, f.cycle-1)
	case f.Angle:
		return anglesApart[T](a, b, f.Offset, size, n, f.slack, f.cycle)
	case f.slack > 0:
		return integersApart[T](a, b, f.Offset, size, n, f.slack)
	}
	return bitsDiffer(a, b, f.Offset, size, n, T(f.mask))
}

// bitsDiffer returns the first row in which masked bits differ, or n.
func bitsDiffer[T integer](a, b unsafe.Pointer, off, size uintptr, n int, mask T) int {
	for i := range n {
		if (*(*T)(unsafe.Add(a, off))^*(*T)(unsafe.Add(b, off)))&mask != 0 {
			return i
		}
		off += size
	}
	return n
}

// integersApart returns the first row in which two integers differ by more than slack, or n. The difference as uint64 is
// exact for all types.
func integersApart[T integer](a, b unsafe.Pointer, off, size uintptr, n int, slack uint64) int {
	for i := range n {
		x, y := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		if uint64(max(x, y))-uint64(min(x, y)) > slack {
			return i
		}
		off += size
	}
	return n
}

// turnsApart is integersApart for angles with a power of two as period. low is the period − 1, slack is below half of the
// period. Subtraction wraps like the angles; adding slack moves −slack..slack to 0..2·slack, so one comparison suffices.
func turnsApart[T integer](a, b unsafe.Pointer, off, size uintptr, n int, slack, low uint64) int {
	for i := range n {
		d := uint64(*(*T)(unsafe.Add(a, off))) - uint64(*(*T)(unsafe.Add(b, off)))
		if (d+slack)&low > 2*slack {
			return i
		}
		off += size
	}
	return n
}

// anglesApart is integersApart for angles with any period. It divides only if an angle is out of range.
func anglesApart[T integer](a, b unsafe.Pointer, off, size uintptr, n int, slack, cycle uint64) int {
	for i := range n {
		x, y := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		d := uint64(max(x, y)) - uint64(min(x, y))
		if d >= cycle {
			d %= cycle
		}
		if min(d, cycle-d) > slack {
			return i
		}
		off += size
	}
	return n
}

// lerpIntegers interpolates n rows. It leaves 64-bit angles to lerpNumbers, because out of range they exceed the exact
// integers of float64, and the order of operations would change the result.
func lerpIntegers[T integer](f *Field, dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	switch {
	case !f.Angle:
		lerpSteps[T](dst, a, b, f.Offset, size, n, at)
	case unsafe.Sizeof(T(0)) == 8:
		lerpNumbers[T](f, dst, a, b, size, n, at)
	case f.cycle&(f.cycle-1) == 0:
		lerpTurns[T](dst, a, b, f.Offset, size, n, at, int64(f.base), int64(f.cycle-1))
	default:
		lerpAngles[T](dst, a, b, f.Offset, size, n, at, int64(f.base), int64(f.cycle))
	}
}

// lerpSteps interpolates linearly. Equal integers stay unchanged, even if float64 cannot represent them.
func lerpSteps[T integer](dst, a, b unsafe.Pointer, off, size uintptr, n int, at float64) {
	for range n {
		from, to := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		x := float64(from)
		mid := T(math.Floor(float64(x+float64((float64(to)-x)*at)) + 0.5))
		if from == to {
			mid = from
		}
		*(*T)(unsafe.Add(dst, off)) = mid
		off += size
	}
}

// lerpTurns interpolates angles the short way round, with a power of two as period and low = period − 1. Adding half a turn
// to the difference and masking it gives the short way. Equal angles stay unchanged, even out of range.
func lerpTurns[T integer](dst, a, b unsafe.Pointer, off, size uintptr, n int, at float64, base, low int64) {
	half := (low + 1) / 2
	for range n {
		from, to := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		x := int64(from)
		d := (int64(to)-x+half)&low - half
		if d == -half && to < from {
			d = half // a difference of exactly half a turn: go against its sign, like lerpNumbers
		}
		mid := int64(math.Floor(float64(float64(x)+float64(float64(d)*at)) + 0.5))
		mid = base + (mid-base)&low
		if from == to {
			mid = x
		}
		*(*T)(unsafe.Add(dst, off)) = T(mid)
		off += size
	}
}

// lerpAngles is lerpTurns for any period. It divides only if an angle is out of range or the way crosses the end of the
// range.
func lerpAngles[T integer](dst, a, b unsafe.Pointer, off, size uintptr, n int, at float64, base, cycle int64) {
	for range n {
		from, to := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		x := int64(from)
		d := int64(to) - x
		if d >= cycle || d <= -cycle {
			d %= cycle
		}
		if 2*d >= cycle {
			d -= cycle
		} else if 2*d <= -cycle {
			d += cycle
		}
		mid := int64(math.Floor(float64(float64(x)+float64(float64(d)*at))+0.5)) - base
		if uint64(mid) >= uint64(cycle) {
			mid = (mid%cycle + cycle) % cycle
		}
		mid += base
		if from == to {
			mid = x
		}
		*(*T)(unsafe.Add(dst, off)) = T(mid)
		off += size
	}
}
