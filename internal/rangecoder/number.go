package rangecoder

import "math/bits"

// Row has the chances of the size of a number.
type Row [RowSize]Chance

// Lot has the chances of the bits below the highest bit of a number.
type Lot [4 * RowSize]Chance

// RowSize is one more than the number of sizes, in bits, that have separate chances.
const RowSize = 20

// Number codes a number: its size in bits in unary, with the mean of rows a and b; the two bits after the highest with l;
// the remaining bits as equally likely; and its sign.
func (r *Coder) Number(a, b *Row, l *Lot, sign *Chance, v int32) int32 {
	if r.sink != nil {
		return r.sink.Number(a, b, l, sign, v)
	}
	if r.Reading {
		return r.readNumber(a, b, l, sign)
	}
	r.writeNumber(a, b, l, sign, v)
	return v
}

func (r *Coder) writeNumber(a, b *Row, l *Lot, sign *Chance, v int32) {
	mag, neg := uint32(v), uint32(0)
	if v < 0 {
		mag, neg = -mag, 1
	}
	n := bits.Len32(mag)
	width := r.width
	for i := 0; i < n; i++ {
		i := min(i, RowSize-1)
		width = width >> chanceBits * uint64((uint32(a[i].P)+uint32(b[i].P))>>1)
		a[i].One()
		b[i].One()
		if width < 1<<32 {
			r.width = width
			r.shift()
			width = r.width
		}
	}
	if n < 32 {
		i := min(n, RowSize-1)
		bound := width >> chanceBits * uint64((uint32(a[i].P)+uint32(b[i].P))>>1)
		a[i].Zero()
		b[i].Zero()
		r.add(bound)
		width -= bound
	}
	if r.width = width; width < 1<<32 {
		r.shift()
	}
	if n == 0 {
		return
	}
	r.Bit(sign, neg)
	if n > 1 {
		c := (*[4]Chance)(l[4*min(n, RowSize-1):])
		top := mag >> (n - 2) & 1
		r.Bit(&c[0], top)
		if n > 2 {
			r.Bit(&c[1+top], mag>>(n-3)&1)
			if n > 3 {
				r.Even(mag, n-3)
			}
		}
	}
}

func (r *Coder) readNumber(a, b *Row, l *Lot, sign *Chance) int32 {
	n := 0
	for width, code := r.width, r.code; ; n++ {
		if n == 32 {
			r.width = width
			break
		}
		i := min(n, RowSize-1)
		bound := width >> chanceBits * uint64((uint32(a[i].P)+uint32(b[i].P))>>1)
		if code >= bound {
			a[i].Zero()
			b[i].Zero()
			r.width, r.code = width-bound, code-bound
			break
		}
		a[i].One()
		b[i].One()
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
	neg := r.Bit(sign, 0)
	mag := uint32(1)
	if n > 1 {
		c := (*[4]Chance)(l[4*min(n, RowSize-1):])
		top := r.Bit(&c[0], 0)
		mag = mag<<1 | top
		if n > 2 {
			mag = mag<<1 | r.Bit(&c[1+top], 0)
			if n > 3 {
				mag = r.Even(mag<<(n-3), n-3)
			}
		}
	}
	if neg != 0 {
		mag = -mag
	}
	return int32(mag)
}
