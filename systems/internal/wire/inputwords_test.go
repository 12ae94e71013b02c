package wire

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// Inputs of consecutive ticks, some of them missing, are decoded unchanged. The number of inputs that [InputWords.Fit] returns
// needs no more bits than there is room; if there is room for all, it is all.
func TestInputsWithGaps(t *testing.T) {
	r, table := rand.New(rand.NewPCG(9, 1)), tableFor[every](t)
	first := make([]int32, table.Words)
	for round := range 600 {
		n := 1 + r.IntN(40)
		words := randomInputs(r, table, n).Words
		there := make([]bool, n)
		for i := range there {
			if there[i] = r.IntN(6) > 0; round%3 == 0 && i > 0 && r.IntN(3) > 0 { // long runs of what is held
				copy(words[i*table.Words:], words[(i-1)*table.Words:i*table.Words])
			}
		}
		at := func(i int) ([]int32, bool) {
			if !there[i] {
				return nil, false
			}
			return words[i*table.Words : (i+1)*table.Words], true
		}
		writer, reader := NewInputWords(table), NewInputWords(table)
		writer.Gaps, reader.Gaps = true, true
		bits := func(n int) int {
			writer.W.Reset(nil)
			writer.Start(first)
			writer.Write(n, at)
			return 8 * len(writer.W.Bytes())
		}
		room := r.IntN(bits(n) * 2)
		writer.Start(first)
		fits := writer.Fit(n, room, at)
		if fits > 0 && bits(fits) > room+7 {
			t.Fatalf("round %d: %d of %d inputs take %d bits, there is room for %d", round, fits, n, bits(fits), room)
		}
		if fits < n && room > 3 && bits(fits+1) < room/3 {
			t.Fatalf("round %d: %d of %d inputs in %d bits, though one more takes %d", round, fits, n, room, bits(fits+1))
		}
		writer.Start(first)
		if all := writer.Fit(n, 1<<20, at); all != n {
			t.Fatalf("round %d: %d of %d inputs have room", round, all, n)
		}
		bits(n)
		reader.R.Reset(writer.W.Bytes())
		reader.Start(first)
		got := make([]int32, table.Words)
		i := 0
		reader.Read(n, func(k int, real bool) {
			if k != i || real != there[k] {
				t.Fatalf("round %d: input %d as %d, there %v", round, i, k, real)
			}
			if i++; !real {
				return
			}
			reader.Words(got)
			for w, v := range got {
				if uint32(v) != reader.cut(w, words[k*table.Words+w]) {
					t.Fatalf("round %d: input %d came back as %v, not %v", round, k, got, words[k*table.Words:(k+1)*table.Words])
				}
			}
		})
		if reader.R.Align(); i != n || reader.Failed() || reader.R.Remaining() > 0 {
			t.Fatalf("round %d: %d of %d inputs came back, %d bits are left", round, i, n, reader.R.Remaining())
		}
	}
}

// Held inputs cost at most two bits, however many there are. No inputs cost nothing.
func TestHeldInputsCostNothing(t *testing.T) {
	table := tableFor[push](t)
	held := slices.Repeat([]int32{1, 0, 1}, 200)
	c := NewInputWords(table)
	c.W.Reset(nil)
	c.Start(held)
	c.Write(0, nil)
	if n := c.W.Len(); n != 0 {
		t.Errorf("no inputs take %d bytes", n)
	}
	at := func(i int) ([]int32, bool) { return held[3*i : 3*i+3], true }
	if c.Write(200, at); len(c.W.Bytes()) != 1 {
		t.Errorf("200 inputs that are held take %d bytes", len(c.W.Bytes()))
	}
	c.Start(held)
	if n := c.Fit(200, 2, at); n != 200 {
		t.Errorf("of 200 inputs that are held %d fit two bits", n)
	}
	c.Start(held)
	if n := c.Fit(200, 1, at); n != 0 {
		t.Errorf("%d inputs fit a bit", n)
	}
}

func TestMasks(t *testing.T) {
	type flag struct{}
	type gaze struct {
		Yaw uint16 `net:"0..359 angle"`
	}
	type mark struct {
		Kind uint8 `net:"enum 5"`
	}
	p := testgame.Grounds(func(p *ecs.Protocol) {
		ecs.Replicate[gaze](p, ecs.OwnerOnly)
		ecs.Replicate[mark](p, ecs.OwnerOnly|ecs.Predicted)
		ecs.Replicate[flag](p, ecs.Predicted) // there is nothing to compare
	})
	bit := func(c *ecs.Component) uint64 { return 1 << c.Replicated() }
	kinds := bit(ecs.ComponentOf[mark](p))
	if got := Predicted(p); got != kinds|bit(ecs.ComponentOf[testgame.Place](p))|bit(ecs.ComponentOf[testgame.Shots](p)) {
		t.Errorf("predicted: %b", got)
	}
	if got := Private(p); got != kinds|bit(ecs.ComponentOf[gaze](p))|bit(ecs.ComponentOf[ecs.SpawnKey](p)) {
		t.Errorf("private: %b", got)
	}
}
