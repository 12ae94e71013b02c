package inputgather

import (
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// push is an input.
type push struct {
	DX, DY int8 `net:"-1..1"`
	Fire   bool
}

func tableFor[T any](t testing.TB) *schema.Table {
	t.Helper()
	table, err := schema.Compile(reflect.TypeFor[T](), nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The log stores the newest inputs as the server will decode them, and returns the oldest stored one.
func TestInputLogKeepsTheNewest(t *testing.T) {
	const n = 8
	l := NewLog(tableFor[push](t), n)
	for seq := uint32(1); seq <= 100; seq++ {
		p := (*push)(l.Push())
		if *p != (push{}) {
			t.Fatalf("input %d starts from %+v", seq, *p)
		}
		*p = push{DX: int8(seq%3) - 1, DY: 9, Fire: seq%2 == 0}
		l.Seal()
		if l.Newest != seq || l.First != max(seq, n)-n+1 {
			t.Fatalf("after %d: %d to %d", seq, l.First, l.Newest)
		}
		for s := l.First; s <= seq; s++ {
			want := push{DX: int8(s%3) - 1, DY: 1, Fire: s%2 == 0} // 9 is outside the range
			if got := *(*push)(l.Value(s)); got != want {
				t.Fatalf("after %d, input %d is %+v", seq, s, got)
			}
			if w := l.Words(s); w[0] != int32(s%3) || w[1] != 2 {
				t.Fatalf("after %d, input %d travels as %d", seq, s, w)
			}
		}
	}
}

// After a jump, earlier inputs do not count, and the sequence continues.
func TestInputLogJump(t *testing.T) {
	l := NewLog(tableFor[push](t), 8)
	for range 20 {
		l.Push()
		l.Seal()
	}
	l.Jump(10) // never back
	if l.Newest != 20 || l.First != 13 {
		t.Fatalf("%d to %d after a jump back", l.First, l.Newest)
	}
	l.Jump(500)
	if l.Newest != 500 || l.First != 501 {
		t.Fatalf("%d to %d after a jump", l.First, l.Newest)
	}
	for seq := uint32(501); seq < 520; seq++ {
		l.Push()
		l.Seal()
		if l.Newest != seq || l.First != max(501, seq-7) {
			t.Fatalf("%d to %d at %d", l.First, l.Newest, seq)
		}
	}
}

// A log of inputs without fields counts all the same.
func TestInputLogOfNothing(t *testing.T) {
	l := NewLog(tableFor[struct{}](t), 8)
	for range 20 {
		if p := l.Push(); p != nil {
			t.Fatal("an input without fields has a place")
		}
		l.Seal()
	}
	if l.Newest != 20 || len(l.Words(20)) != 0 {
		t.Errorf("%d inputs, %v", l.Newest, l.Words(20))
	}
}

type keys struct {
	X float32 `net:"-1..1 step 0.5"`
}

// Pushed inputs are numbered and quantized. A tick has one input, however often Push is called.
func TestPush(t *testing.T) {
	p := testgame.Stage(ecs.Input[keys])
	w := ecs.NewWorld(p, ecs.Config{})
	s := New(NewLog(wire.InputTable(p), 4), nil, nil)
	inputs := s.Inputs(p)
	pushes := [][]float32{{1}, {}, {0.1, -0.6}, {0.4}, {1}, {-1}}
	for n, all := range pushes {
		s.Replace(func(*ecs.World) {
			for _, x := range all {
				Push(inputs, keys{x})
			}
		})
		s.Run(w)
		if want := uint32(n + 1); inputs.Newest() != want || s.Gathered != uint64(want) {
			t.Errorf("after %d ticks the newest input is %d, and %d were gathered", want, inputs.Newest(), s.Gathered)
		}
	}
	for number, want := range map[uint32]float32{3: -0.5, 4: 0.5, 5: 1, 6: -1} {
		if got, ok := At[keys](inputs, number); !ok || got.X != want {
			t.Errorf("input %d is %v, %v; want %v", number, got, ok, want)
		}
	}
	for _, number := range []uint32{0, 2, 7} {
		if got, ok := At[keys](inputs, number); ok {
			t.Errorf("input %d is %v", number, got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an input of another type was taken")
		}
	}()
	Push(inputs, 1.5)
}
