package swarm

import (
	"bytes"
	"testing"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// What a blind client is shown is what the server sent, and blocks of one send that clients share have one sum.
func TestBodies(t *testing.T) {
	type key struct {
		send, first uint32
		age         uint32
	}
	sums := make(map[key]map[uint64]bool)
	bodies, joins, own := 0, 0, 0
	var sample []byte
	config := Config{Clients: 10, Ramp: 100, Input: walk(), OnBody: func(b Body) {
		bodies++
		again, ok, err := ReadBody(bytes.Clone(b.Message), b.Send+1000, b.Input+1000, nil)
		if !ok || err != nil || again.Send != b.Send || again.Input != b.Input || len(again.Blocks) != len(b.Blocks) {
			t.Fatalf("%+v read again is %+v, %v, %v", b, again, ok, err)
		}
		if b.Join {
			joins++
		}
		for i := range b.Blocks {
			x := &b.Blocks[i]
			if x.Sum() != again.Blocks[i].Sum() {
				t.Fatal("one block has two sums")
			}
			if x.Own {
				own++
				continue
			}
			if b.Join || x.Age == 0 {
				continue
			}
			k := key{b.Send, x.First, x.Age}
			if sums[k] == nil {
				sums[k] = make(map[uint64]bool)
			}
			sums[k][x.Sum()] = true
		}
		if b.Send > 50 && sample == nil {
			sample = bytes.Clone(b.Message)
		}
	}}
	m := newMatch(t, systems.ServerConfig{}, config, netsys.Link{})
	m.until(t, "connect", m.swarm.Settled)
	m.ticks(t, 300)
	if bodies < 900 || joins == 0 || own == 0 || len(sums) < 80 {
		t.Errorf("%d bodies, %d of joins, %d own blocks, %d runs of groups", bodies, joins, own, len(sums))
	}
	for k, all := range sums {
		if len(all) != 1 {
			t.Errorf("%+v has %d sums", k, len(all))
		}
	}
	// Any bit that is another makes another sum, or is no block.
	before, _, err := ReadBody(sample, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(sample) {
		changed := bytes.Clone(sample)
		changed[bit/8] ^= 1 << (bit % 8)
		after, ok, err := ReadBody(changed, 0, 0, nil)
		if !ok || err != nil || len(after.Blocks) != len(before.Blocks) || after.Send != before.Send || after.Input != before.Input || after.Join != before.Join || bit/8 < 12 {
			continue
		}
		same := true
		for i := range after.Blocks {
			same = same && after.Blocks[i].Sum() == before.Blocks[i].Sum()
		}
		if same {
			t.Errorf("bit %d of %d changes nothing", bit, 8*len(sample))
		}
	}
	if _, ok, err := ReadBody([]byte{1}, 0, 0, nil); ok || err != nil {
		t.Errorf("no snapshot: %v, %v", ok, err)
	}
}

// All that a block says is in its sum.
func TestSumTellsBlocksApart(t *testing.T) {
	plain := Block{First: 3, Count: 2, Slots: 1<<64 - 1, Age: 5, Coder: 1, Data: []byte("0123456789")}
	sums := map[uint64]string{plain.Sum(): "plain"}
	for name, change := range map[string]func(b *Block){
		"own":    func(b *Block) { b.Own = true },
		"first":  func(b *Block) { b.First++ },
		"count":  func(b *Block) { b.Count++ },
		"slots":  func(b *Block) { b.Slots = 7 },
		"age":    func(b *Block) { b.Age++ },
		"two":    func(b *Block) { b.Two = true },
		"coder":  func(b *Block) { b.Coder++ },
		"data":   func(b *Block) { b.Data = []byte("012345678a") },
		"begin":  func(b *Block) { b.Data = []byte("a123456789") },
		"longer": func(b *Block) { b.Data = []byte("0123456789\x00") },
		"less":   func(b *Block) { b.Data = nil },
	} {
		b := plain
		change(&b)
		if other, taken := sums[b.Sum()]; taken {
			t.Errorf("%s has the sum of %s", name, other)
		}
		sums[b.Sum()] = name
	}
}

// Whatever comes from a server is read or refused.
func FuzzReadBody(f *testing.F) {
	f.Add([]byte{2, 1, 0, 1, 0})
	f.Fuzz(func(t *testing.T, message []byte) {
		b, ok, err := ReadBody(message, 1000, 1000, nil)
		if ok && err != nil {
			t.Fatal("both")
		}
		n := 0
		for i := range b.Blocks {
			n += len(b.Blocks[i].Data)
			b.Blocks[i].Sum()
		}
		if n > len(message) {
			t.Errorf("%d bytes of blocks in a message of %d", n, len(message))
		}
	})
}
