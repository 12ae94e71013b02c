package ecs

import (
	"math/rand/v2"
	"testing"
)

func TestKeyedTableIsAMap(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var got keyedTable[int]
		want := map[uint32]int{}
		// Few keys, so that they meet; some that begin at one place; and large ones.
		key := func() uint32 {
			k := uint32(r.IntN(200))
			switch seed % 3 {
			case 1:
				k <<= 24
			case 2:
				k = ^k
			}
			return k
		}
		for i := range 20_000 {
			k := key()
			switch r.IntN(5) {
			case 0, 1:
				*got.put(k) = i
				want[k] = i
			case 2, 3:
				got.remove(k)
				delete(want, k)
			}
			if i%7000 == 6999 { // continues in another table of any size, apart from this one
				var other keyedTable[int]
				for k := range uint32(i % 3 * 100) {
					*other.put(k) = -1
				}
				other.copyFrom(&got)
				*got.put(key()) = -2
				got.remove(key())
				got = other
			}
			if i%5000 == 4999 && seed%2 == 0 {
				got.clear()
				clear(want)
			}
			k = key()
			v, ok := want[k]
			if p := got.find(k); (p != nil) != ok || ok && *p != v {
				t.Fatalf("seed %d, step %d: key %d: %v, want %v %v", seed, i, k, p, v, ok)
			}
			if got.n != len(want) {
				t.Fatalf("seed %d, step %d: %d keys, want %d", seed, i, got.n, len(want))
			}
		}
		if room := len(got.places); room > 512 {
			t.Errorf("seed %d: %d places for 200 keys", seed, room)
		}
	}
}

func TestArenaKeepsValues(t *testing.T) {
	var a arena
	for round := range 3 {
		var given []*[3]uint64
		for i := range uint64(2000) {
			p := (*[3]uint64)(a.allocate(24))
			*p = [3]uint64{i, i, i}
			given = append(given, p)
			if i%100 == 0 {
				a.allocate(0)
				a.allocate(8 * (arenaBlock + 1)) // larger than a block
			}
		}
		for i, p := range given {
			if *p != [3]uint64{uint64(i), uint64(i), uint64(i)} {
				t.Fatalf("round %d: value %d is %v", round, i, *p)
			}
		}
		blocks := len(a.blocks)
		a.reset()
		if round > 0 && blocks != len(a.blocks) {
			t.Errorf("round %d: %d blocks", round, blocks)
		}
	}
}
