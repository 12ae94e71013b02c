package codec

// A column of numbers in which equal neighbours are written once. It is a
// sequence of varints:
//
//	v<<1        the next entry is v, and differs from the one before
//	n<<1 | 1    n ≥ 1 more entries equal the last one, and others follow
//	1           all the entries that are left equal the last one
//
// The number of entries is known from elsewhere. An entry never costs more than
// its own varint, a column of equal entries costs one varint and one byte, and
// each column has one spelling only.

func appendColumn(dst []byte, col []uint32) []byte {
	for i := 0; i < len(col); {
		v := col[i]
		dst = AppendUvarint(dst, uint64(v)<<1)
		j := i + 1
		for j < len(col) && col[j] == v {
			j++
		}
		switch n := j - i - 1; {
		case n == 0:
		case j == len(col):
			dst = append(dst, 1)
		default:
			dst = AppendUvarint(dst, uint64(n)<<1|1)
		}
		i = j
	}
	return dst
}

// columnCost bounds the bytes that an entry v adds to any column: a run of n
// entries after the first costs at most n bytes.
func columnCost(v uint32) int { return UvarintLen(uint64(v) << 1) }

// column reads a column of len(col) entries into col. On failure r has an error
// and col holds anything.
func (r *ByteReader) column(col []uint32) {
	run := true // a run may not begin a column or follow a run
	for i := 0; i < len(col); {
		t := r.Uvarint()
		if r.err != nil {
			return
		}
		if t&1 == 0 {
			v := t >> 1
			if v > 1<<32-1 || i > 0 && col[i-1] == uint32(v) {
				r.fail(ErrMalformed)
				return
			}
			col[i] = uint32(v)
			i++
			run = false
			continue
		}
		n, left := t>>1, len(col)-i
		if run || n >= uint64(left) {
			r.fail(ErrMalformed)
			return
		}
		if n == 0 {
			n = uint64(left)
		}
		for range n {
			col[i] = col[i-1]
			i++
		}
		run = true
	}
}
