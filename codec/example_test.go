package codec_test

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

func ExampleWriter() {
	var w codec.Writer
	w.Reset(make([]byte, 0, 64))
	w.Bits(5, 3)
	w.Bool(true)
	w.Varint(-40)
	b := w.Bytes()

	var r codec.Reader
	r.Reset(b)
	fmt.Println(r.Bits(3), r.Bool(), r.Varint(), len(b), "bytes", r.Err())
	r.Bits(20)
	fmt.Println(r.Err())
	// Output:
	// 5 true -40 2 bytes <nil>
	// codec: input too short
}

func ExampleByteReader() {
	b := codec.AppendUvarint(nil, 300)
	b = append(b, "hi"...)

	var r codec.ByteReader
	r.Reset(b)
	fmt.Println(r.Uvarint(), string(r.Next(2)), r.Len(), r.Err())
	// Output: 300 hi 0 <nil>
}

// A packet carries the low 16 bits of its tick.
func ExampleLift() {
	expected := uint32(65_530)
	for _, wire := range []uint16{65_528, 3} {
		fmt.Println(codec.Lift(wire, expected), codec.Newer(wire, uint16(expected)))
	}
	// Output:
	// 65528 false
	// 65539 true
}
