package schema_test

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

type gauge struct {
	X    float32 `net:"-8..8 step 0.5"`
	Turn uint16  `net:"0..359 angle"`
	Mood uint8   `net:"enum 5"`
	On   bool
	N    uint8    `net:"count"`
	List [2]int16 `net:"0..100"`
	Raw  float64  `net:"raw"`
}

// Differs compares one field like Compare, and Apart returns the distance.
func TestFieldByField(t *testing.T) {
	table, err := schema.Compile(reflect.TypeFor[gauge](), nil)
	if err != nil {
		t.Fatal(err)
	}
	a := gauge{X: 1, Turn: 350, Mood: 1, N: 1, List: [2]int16{5, 90}, Raw: 1}
	b := gauge{X: 3.5, Turn: 20, Mood: 4, On: true, N: 1, List: [2]int16{9, 3}, Raw: math.Inf(1)}
	type result struct {
		differs bool
		apart   float64
		number  bool
	}
	want := map[string]result{
		"X": {true, 2.5, true}, "Turn": {true, 30, true}, "Mood": {true, 0, false}, "On": {true, 0, false},
		"N": {false, 0, true}, "List[0]": {true, 4, true}, "List[1]": {false, 0, false}, "Raw": {true, math.Inf(1), false},
	}
	for i, f := range table.Fields {
		d, number := table.Apart(i, unsafe.Pointer(&a), unsafe.Pointer(&b))
		if got := (result{table.Differs(i, unsafe.Pointer(&a), unsafe.Pointer(&b)), d, number}); got != want[f.Path] {
			t.Errorf("%s: %+v, want %+v", f.Path, got, want[f.Path])
		}
		if table.Differs(i, unsafe.Pointer(&a), unsafe.Pointer(&a)) {
			t.Errorf("%s differs from itself", f.Path)
		}
	}
}
