package frames

import "encoding/binary"

// PackRaw stores the bytes of [schema.Table.AppendRaw] in the words of a record of [delta.NewRawLayout], and
// returns the number of words.
func PackRaw(words []int32, raw []byte) int {
	n := 0
	for ; len(raw) >= 4; raw = raw[4:] {
		words[n] = int32(binary.LittleEndian.Uint32(raw))
		n++
	}
	if len(raw) > 0 {
		var last [4]byte
		copy(last[:], raw)
		words[n] = int32(binary.LittleEndian.Uint32(last[:]))
		n++
	}
	return n
}
