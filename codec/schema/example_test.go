package schema_test

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

type Position struct {
	X float32 `net:"-512..512 step 0.01"`
	Y float32 `net:"-512..512 step 0.01"`
}

func ExampleCompile() {
	table, err := schema.Compile(reflect.TypeFor[Position](), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(table.Line())
	fmt.Println(table.Words, "words,", table.Fields[0].Bits, "bits each")
	// Output:
	// Position{X float32 -512..512 step 0.01; Y float32 -512..512 step 0.01}
	// 2 words, 17 bits each
}

// A type of another package has no tags. They are given by field path.
func ExampleFields() {
	type Vec struct{ X, Y float64 } // say, from a physics library
	type Body struct {
		Pos, Vel Vec
		Sleeping bool
	}
	table, err := schema.Compile(reflect.TypeFor[Body](), schema.Fields{
		"Pos":   "-100..100 step 0.01",
		"Vel":   "-20..20 step 0.1",
		"Vel.Y": "raw",
	})
	fmt.Println(table.Line(), err)
	// Output:
	// Body{Pos.X float64 -100..100 step 0.01; Pos.Y float64 -100..100 step 0.01; Vel.X float64 -20..20 step 0.1; Vel.Y float64 raw; Sleeping bool} <nil>
}

// A forgotten field fails loudly.
func ExampleCompile_forgotten() {
	type Health struct {
		Points int16 `net:"0..100"`
		Shield int16
	}
	_, err := schema.Compile(reflect.TypeFor[Health](), nil)
	fmt.Println(errors.Is(err, schema.ErrUntagged))
	fmt.Println(err)
	// Output:
	// true
	// schema: field without a net tag: schema_test.Health.Shield (int16): write `net:"0..100"` for a number in a range, `net:"raw"` for all of its bits, or `net:"-"` to leave it out; for a type that cannot be tagged, give Fields{"Shield": …}
}

func ExampleTable_Quantize() {
	table, _ := schema.Compile(reflect.TypeFor[Position](), nil)
	rows := []Position{{1.234, -512}, {600, 0}}
	words := make([]int32, len(rows)*table.Words)
	clamped := table.Quantize(words, table.Words, unsafe.Pointer(&rows[0]), len(rows))
	fmt.Println(words, "clamped:", clamped)
	if clamped > 0 {
		row, field := table.FirstClamped(unsafe.Pointer(&rows[0]), len(rows))
		fmt.Println("row", row, table.Fields[field].Path, "is", table.Format(field, unsafe.Pointer(&rows[row])))
	}
	table.Dequantize(unsafe.Pointer(&rows[0]), words, table.Words, len(rows))
	fmt.Println(rows)
	// Output:
	// [51323 0 102400 51200] clamped: 1
	// row 1 X is 600
	// [{1.23 -512} {512 0}]
}

func ExampleTable_Compare() {
	table, _ := schema.Compile(reflect.TypeFor[Position](), nil)
	predicted := Position{10, 20}
	near, far := Position{10.005, 20}, Position{10, 20.5}
	fmt.Println(table.Compare(unsafe.Pointer(&predicted), unsafe.Pointer(&near)))
	if field := table.Compare(unsafe.Pointer(&predicted), unsafe.Pointer(&far)); field >= 0 {
		fmt.Println("mispredicted", table.Fields[field].Path)
	}
	// Output:
	// -1
	// mispredicted Y
}

func ExampleTable_Lerp() {
	type Heading struct {
		Degrees float32 `net:"0..359.5 step 0.5 angle"`
	}
	table, _ := schema.Compile(reflect.TypeFor[Heading](), nil)
	from, to, now := Heading{350}, Heading{20}, Heading{}
	for _, f := range []float64{0, 0.25, 0.5, 1} {
		table.Lerp(unsafe.Pointer(&now), unsafe.Pointer(&from), unsafe.Pointer(&to), f)
		fmt.Print(now.Degrees, " ")
	}
	// Output: 350 357.5 5 20
}

func ExampleTable_ClearEdges() {
	type Input struct {
		Right  bool
		Attack bool `net:"edge"`
	}
	table, _ := schema.Compile(reflect.TypeFor[Input](), nil)
	last := Input{Right: true, Attack: true}
	table.ClearEdges(unsafe.Pointer(&last)) // stands in for an input that did not arrive
	fmt.Printf("%+v\n", last)
	// Output: {Right:true Attack:false}
}

// Directions, rotations, lists and texts are fields like others.
func ExampleCompile_forms() {
	type Unit struct {
		Mood   uint8      `net:"enum 5"`
		Dir    [2]float32 `net:"unit 10"`
		Mass   float64    `net:"-512..512 step 0.0625"`
		Target uint32     `net:"ref"` // components.NetID
		N      uint8      `net:"count"`
		Name   [8]byte    `net:"text"`
	}
	table, err := schema.Compile(reflect.TypeFor[Unit](), nil)
	if err != nil {
		panic(err)
	}
	u := Unit{Mood: 9, Dir: [2]float32{3, 4}, Mass: 1.5, Target: 77, N: 3, Name: [8]byte{'A', 'd', 'a'}}
	words := make([]int32, table.Words)
	fmt.Println("clamped:", table.Quantize(words, table.Words, unsafe.Pointer(&u), 1))
	table.Dequantize(unsafe.Pointer(&u), words, table.Words, 1)
	for i := range table.Fields {
		fmt.Println(table.Fields[i].Path, table.Fields[i].Form, table.Fields[i].Bits, table.Format(i, unsafe.Pointer(&u)))
	}
	// Output:
	// clamped: 1
	// Mood enum 3 4
	// Dir unit 10 (0.6017491 0.7986852)
	// Mass grid 15 1.5
	// Target ref 32 77
	// Name text 68 "Ada"
}
