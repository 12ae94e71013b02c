package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Columns of integers, one kernel for each way to compare and to interpolate them.
// What sets them apart is settled before the rows, and they call nothing: a row
// costs little more than its loads. All agree bit for bit with Field.differ and
// lerpNumbers, which take any number.

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
		return n // no two angles are further apart than half a turn
	case f.Angle && f.cycle&(f.cycle-1) == 0:
		return turnsApart[T](a, b, f.Offset, size, n, f.slack, f.cycle-1)
	case f.Angle:
		return anglesApart[T](a, b, f.Offset, size, n, f.slack, f.cycle)
	case f.slack > 0:
		return integersApart[T](a, b, f.Offset, size, n, f.slack)
	}
	return bitsDiffer(a, b, f.Offset, size, n, T(f.mask))
}

// bitsDiffer returns the first row in which bits under mask differ, or n.
func bitsDiffer[T integer](a, b unsafe.Pointer, off, size uintptr, n int, mask T) int {
	for i := range n {
		if (*(*T)(unsafe.Add(a, off))^*(*T)(unsafe.Add(b, off)))&mask != 0 {
			return i
		}
		off += size
	}
	return n
}

// integersApart returns the first row in which two integers are more than slack
// apart, or n. In uint64 the difference is exact for all types.
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

// turnsApart is integersApart for angles whose period is a power of two, low its
// bits, and slack less than half of it. Subtraction wraps as they do, and one
// comparison finds −slack..slack once it is moved to begin at 0.
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

// anglesApart is integersApart for other angles. It divides only where one is out
// of its range.
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

// lerpIntegers interpolates n rows. Angles of 64 bits are left to lerpNumbers: out
// of range they are beyond what float64 holds exactly, where the order of the
// operations shows.
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

// lerpSteps goes in a straight line. Equal integers stay as they are, though float64
// may not hold them.
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

// lerpTurns goes the short way round where the period is a power of two, low its
// bits: of a difference moved by half a turn, they say how far that is. Equal angles
// stay as they are, even out of range.
func lerpTurns[T integer](dst, a, b unsafe.Pointer, off, size uintptr, n int, at float64, base, low int64) {
	half := (low + 1) / 2
	for range n {
		from, to := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		x := int64(from)
		d := (int64(to)-x+half)&low - half
		if d == -half && to < from {
			d = half // half a turn goes against the sign of the difference
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

// lerpAngles is lerpTurns for other periods. It divides only where an angle is out
// of its range, and where the way passes the end of it.
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
