package swarm

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Each field of a block changes its sum.
func TestSumTellsBlocksApart(t *testing.T) {
	type block struct {
		wire.BlockHead
		body string
	}
	plain := block{wire.BlockHead{Number: 3, Missing: 2, Age: 5, Coder: 1}, "0123456789"}
	sums := map[uint64]string{sum(&plain.BlockHead, []byte(plain.body)): "plain"}
	for name, change := range map[string]func(b *block){
		"number":  func(b *block) { b.Number++ },
		"missing": func(b *block) { b.Missing++ },
		"age":     func(b *block) { b.Age++ },
		"two":     func(b *block) { b.Two = true },
		"coder":   func(b *block) { b.Coder++ },
		"data":    func(b *block) { b.body = "012345678a" },
		"begin":   func(b *block) { b.body = "a123456789" },
		"longer":  func(b *block) { b.body = "0123456789\x00" },
		"less":    func(b *block) { b.body = "" },
	} {
		b := plain
		change(&b)
		s := sum(&b.BlockHead, []byte(b.body))
		if other, taken := sums[s]; taken {
			t.Errorf("%s has the sum of %s", name, other)
		}
		sums[s] = name
	}
}
