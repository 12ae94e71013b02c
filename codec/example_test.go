package codec_test

import (
	"errors"
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

func ExampleCompressor() {
	c, d := codec.NewCompressor(), codec.NewDecompressor(1000)
	frame := c.Append(nil, make([]byte, 900))
	msg, err := d.Append(nil, frame)
	fmt.Println(len(frame) < 30, len(msg), err)

	_, err = d.Append(nil, c.Append(nil, make([]byte, 10_000)))
	fmt.Println(errors.Is(err, codec.ErrTooLarge))
	// Output:
	// true 900 <nil>
	// true
}

// Two entities: one against the snapshot before the last, one new.
func ExampleEncoder() {
	layout := codec.NewLayout([]int{2, 1}) // say, a position and a health
	baseline := []int32{100, 200, 7}

	var enc codec.Encoder
	packet := enc.Append(nil, layout, []codec.Entity{
		{ID: 4, Op: codec.OpDelta, Age: 2, Mask: 0b11, Cur: []int32{103, 200, 7}, Base: baseline},
		{ID: 9, Op: codec.OpFull, Mask: 0b01, Cur: []int32{-5, 50}},
	})

	var dec codec.Decoder
	err := dec.Decode(packet, layout, func(id, age uint32) (uint64, []int32, bool) {
		return 0b11, baseline, id == 4 && age == 2
	}, func(e *codec.Entity) error {
		fmt.Println(e.ID, e.Op, e.Cur)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 4 delta [103 200 7]
	// 9 full [-5 50]
	// <nil>
}
