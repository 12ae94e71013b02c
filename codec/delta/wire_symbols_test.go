package delta

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// wireSymbols are the numbers of a body of raw or zstd.
type wireSymbols struct {
	low     []byte
	at      int       // raw: next bit
	means   []int     // raw: by column
	columns [][]int32 // zstd: the numbers that are left
	quiet   int       // bits until the next surprising one
}

func (s *wireSymbols) open(src []byte, coder Coder, columns int) error {
	s.low = src
	if coder == Raw {
		for range columns {
			s.means = append(s.means, 48)
		}
		s.quiet = int(s.get(0))
		return nil
	}
	size, n := binary.Uvarint(src)
	frame := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38}, byte(size*8+5), byte((size*8+5)>>8), byte((size*8+5)>>16))
	z, err := zstd.NewReader(nil)
	if err != nil {
		return err
	}
	defer z.Close()
	classes, err := z.DecodeAll(append(frame, src[n:n+int(size)]...), nil)
	if err != nil {
		return err
	}
	s.low = src[n+int(size):]
	next := func() int32 {
		c := int(classes[0])
		classes = classes[1:]
		if c == 0 {
			return 0
		}
		k := (c+1)/2 - 1
		v := int32(uint32(1)<<k | uint32(s.bits(k)))
		if c%2 == 0 {
			return -v
		}
		return v
	}
	counts := make([]int, columns)
	for i := range columns - 1 {
		counts[i] = int(next())
	}
	s.columns = make([][]int32, columns)
	for i := range columns {
		for len(s.columns[i]) < counts[i] || i == columns-1 && len(classes) > 0 {
			s.columns[i] = append(s.columns[i], next())
		}
	}
	s.quiet = int(s.get(0))
	return nil
}

func (s *wireSymbols) bits(n int) (v uint64) {
	for i := range n {
		v |= uint64(s.low[s.at>>3]>>(s.at&7)&1) << i
		s.at++
	}
	return v
}

// get reads a number of a column without its sign in raw.
func (s *wireSymbols) get(column int) int32 {
	if s.columns != nil {
		v := s.columns[column][0]
		s.columns[column] = s.columns[column][1:]
		return v
	}
	mean := &s.means[column]
	order := max(*mean-4, 0) / 16
	l := 0
	for s.bits(1) == 0 {
		l++
	}
	q := uint64(1)<<l | s.bits(l)
	v := uint32((q-1)<<order) | uint32(s.bits(order))
	*mean += int(wireFloor(int64(16*bits.Len32(v)-*mean), 8))
	return int32(v)
}

func (s *wireSymbols) number(column int) int32 {
	v := s.get(column)
	if s.columns != nil {
		return v
	}
	return int32(uint32(v)>>1) ^ -(v & 1)
}

func (s *wireSymbols) bit(likely bool) int {
	if s.quiet == 0 {
		likely = !likely
		s.quiet = int(s.get(0)) + 1
	}
	s.quiet--
	if likely {
		return 1
	}
	return 0
}

func (s *wireSymbols) ended() bool {
	for _, c := range s.columns {
		if len(c) > 0 {
			return false
		}
	}
	rest := len(s.low)*8 - s.at
	return s.quiet == 0 && rest < 8 && s.bits(rest) == 0
}
