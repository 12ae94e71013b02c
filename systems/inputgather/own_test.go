package inputgather

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

type keys struct {
	X float32 `net:"-1..1 step 0.5"`
}

// What is pushed is numbered and quantized; a tick has one input, whatever was pushed.
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
