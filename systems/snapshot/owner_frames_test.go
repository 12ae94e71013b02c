package snapshot

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A record is read back unchanged while its send is one of the newest, whatever entities spawn, despawn and grow.
func TestOwnerFramesAreReadAsTheyWereKept(t *testing.T) {
	testgame.Seeds(t, 50, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 9))
		var kept ownerFrames
		all := map[uint32]map[int32][]int32{}
		places := 1
		for send := uint32(1); send < 200; send += 1 + r.Uint32N(2) {
			places += r.IntN(3)
			records, words := map[int32][]int32{}, 0
			for at := range places {
				if r.IntN(3) > 0 {
					rec := make([]int32, r.IntN(9))
					for i := range rec {
						rec[i] = int32(r.Uint32())
					}
					records[int32(at)] = rec
					words += 1 + len(rec)
				}
			}
			kept.start(send, places, words)
			for at, rec := range records {
				copy(kept.add(send, &member{index: at}, len(rec)), rec)
			}
			all[send] = records
			for range 20 {
				of := send - min(r.Uint32N(wire.OwnKept), send)
				m := member{index: r.Int32N(int32(places) + 2)}
				want, there := all[of][m.index]
				if got := kept.record(of, &m); there != (got != nil) || !slices.Equal(got, want) {
					t.Fatalf("send %d: the record of %d at %d is %v, not %v", send, m.index, of, got, want)
				}
			}
		}
	})
}
