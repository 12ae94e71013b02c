package delta

import "math/bits"

// A row is the chances of the size of a number, and a lot those of its bits
// below the highest.
type (
	row [rowSize]chance
	lot [4 * rowSize]chance
)

// rowSize is one more than the sizes, in bits, that have chances of their own.
const rowSize = 20

// number codes a number: its size in bits, one step after the other, by the mean
// of two rows; the two bits after the highest, the rest evenly; and its sign.
func (r *rangeCoder) number(a, b *row, l *lot, sign *chance, v int32) int32 {
	if r.reading {
		return r.readNumber(a, b, l, sign)
	}
	if r.tally != nil {
		return r.noteNumber(a, b, l, sign, v)
	}
	r.writeNumber(a, b, l, sign, v)
	return v
}

func (r *rangeCoder) writeNumber(a, b *row, l *lot, sign *chance, v int32) {
	mag, neg := uint32(v), uint32(0)
	if v < 0 {
		mag, neg = -mag, 1
	}
	n := bits.Len32(mag)
	width := r.width
	for i := 0; i < n; i++ {
		i := min(i, rowSize-1)
		width = width >> chanceBits * uint64((uint32(a[i].p)+uint32(b[i].p))>>1)
		a[i].one()
		b[i].one()
		if width < 1<<32 {
			r.width = width
			r.shift()
			width = r.width
		}
	}
	if n < 32 {
		i := min(n, rowSize-1)
		bound := width >> chanceBits * uint64((uint32(a[i].p)+uint32(b[i].p))>>1)
		a[i].zero()
		b[i].zero()
		r.add(bound)
		width -= bound
	}
	if r.width = width; width < 1<<32 {
		r.shift()
	}
	if n == 0 {
		return
	}
	r.bit(sign, neg)
	if n > 1 {
		c := (*[4]chance)(l[4*min(n, rowSize-1):])
		top := mag >> (n - 2) & 1
		r.bit(&c[0], top)
		if n > 2 {
			r.bit(&c[1+top], mag>>(n-3)&1)
			if n > 3 {
				r.even(mag, n-3)
			}
		}
	}
}

func (r *rangeCoder) readNumber(a, b *row, l *lot, sign *chance) int32 {
	n := 0
	for width, code := r.width, r.code; ; n++ {
		if n == 32 {
			r.width = width
			break
		}
		i := min(n, rowSize-1)
		bound := width >> chanceBits * uint64((uint32(a[i].p)+uint32(b[i].p))>>1)
		if code >= bound {
			a[i].zero()
			b[i].zero()
			r.width, r.code = width-bound, code-bound
			break
		}
		a[i].one()
		b[i].one()
		if width = bound; width < 1<<32 {
			r.width = width
			r.shift()
			width, code = r.width, r.code
		}
	}
	if r.width < 1<<32 {
		r.shift()
	}
	if n == 0 {
		return 0
	}
	neg := r.bit(sign, 0)
	mag := uint32(1)
	if n > 1 {
		c := (*[4]chance)(l[4*min(n, rowSize-1):])
		top := r.bit(&c[0], 0)
		mag = mag<<1 | top
		if n > 2 {
			mag = mag<<1 | r.bit(&c[1+top], 0)
			if n > 3 {
				mag = r.even(mag<<(n-3), n-3)
			}
		}
	}
	if neg != 0 {
		mag = -mag
	}
	return int32(mag)
}
