package snapshot

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// A stored state is read back unchanged while it is one of the newest, whatever entities spawn, despawn and grow.
func TestOwnerFramesAreReadAsTheyWereKept(t *testing.T) {
	testgame.Seeds(t, 50, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 9))
		var kept ownerFrames
		var read ownerReader
		all := map[uint32]*ownerFrame{}
		most := 1 + r.IntN(3)
		for send := uint32(1); send < 200; send += 1 + r.Uint32N(2) {
			if r.IntN(40) == 0 {
				most = min(most+r.IntN(30), 60)
			}
			f := new(ownerFrame)
			f.reset(send, 1+r.IntN(2))
			for range r.IntN(most + 1) {
				rec := f.groups[r.IntN(len(f.groups))].Put(r.IntN(64), r.Uint32(), r.Uint64(), r.IntN(9))
				for i := range rec {
					rec[i] = int32(r.Uint32())
				}
			}
			kept.keep(f)
			all[send] = f
			for range 6 {
				back := r.Uint32N(2 * baseline.OwnKept)
				want := all[send-min(back, send)]
				got := read.at(&kept, send-min(back, send))
				switch {
				case want == nil || back >= baseline.OwnKept:
					if got != nil && want == nil {
						t.Fatalf("send %d: there is a state of %d", send, send-back)
					}
				case got == nil:
					t.Fatalf("send %d: no state of %d", send, send-back)
				default:
					sameGroups(t, got, want.groups)
				}
			}
			read = ownerReader{past: read.past} // another client's turn
		}
	})
}

// sameGroups fails where groups differ.
func sameGroups(t *testing.T, got, want []delta.Group) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d groups, not %d", len(got), len(want))
	}
	for g := range got {
		a, b := &got[g], &want[g]
		if a.Send != b.Send || a.Known != b.Known || a.Alive != b.Alive {
			t.Fatalf("group %d: send %d, slots %#x of %#x, not %d, %#x of %#x", g, a.Send, a.Alive, a.Known, b.Send, b.Alive, b.Known)
		}
		for k := range delta.GroupSize {
			if a.Alive&(1<<k) != 0 && (a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] || !slices.Equal(a.Record(k), b.Record(k))) {
				t.Fatalf("group %d, slot %d differs", g, k)
			}
		}
	}
}

// Storing states allocates nothing once memory has grown.
func TestKeepingOwnerFramesAllocatesNothing(t *testing.T) {
	var kept ownerFrames
	var read ownerReader
	var f ownerFrame
	send := uint32(0)
	if n := testing.AllocsPerRun(100, func() {
		send++
		f.reset(send, 1)
		copy(f.groups[0].Put(3, 7, 1, 6), []int32{1, 2, 3, 4, 5, 6})
		kept.keep(&f)
		read.at(&kept, send-1)
		read.at(&kept, send-2)
	}); n != 0 {
		t.Errorf("%v allocations a send", n)
	}
}
