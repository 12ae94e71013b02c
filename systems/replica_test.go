package systems

import (
	"math/rand/v2"
	"testing"
)

// A replica keeps every record that its floor still asks for, in whatever order
// they come, up to the limit of its ring.
func TestReplicaKeepsWhatTheFloorAsksFor(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		var rep replica
		var m memory
		have := map[uint32]bool{}
		floor, newest := uint32(1), uint32(0)
		for n := 0; newest < 2000; n++ {
			newest += uint32(1 + r.IntN(3))
			send := newest - min(uint32(r.IntN(40)), newest-1)
			if r.IntN(50) == 0 {
				floor = max(floor, newest-min(uint32(r.IntN(200)), newest-1))
			}
			if send < floor {
				continue
			}
			rep.put(&m, send, send*3, floor, 1, []int32{int32(send), 7})
			have[send] = true
			for s := range have {
				if s < floor {
					delete(have, s)
					continue
				}
				rec := rep.at(s)
				if rec == nil {
					if newest-floor >= maxRecords {
						continue
					}
					t.Fatalf("seed %d: at %d with floor %d the record of %d is gone", seed, newest, floor, s)
				}
				if rec.tick != s*3 || rec.words[0] != int32(s) {
					t.Fatalf("seed %d: the record of %d says %+v", seed, s, rec)
				}
			}
			if len(rep.ring) > maxRecords {
				t.Fatalf("a ring of %d", len(rep.ring))
			}
		}
		rep.release(&m)
		if m.used != 0 {
			t.Errorf("seed %d: %d bytes are used by nothing", seed, m.used)
		}
	}
}

// An older record never takes the place of a newer one, and never moves newest.
func TestReplicaOldNeverReplacesNew(t *testing.T) {
	var rep replica
	var m memory
	rep.put(&m, 1000, 1, 1000, 1, []int32{1})
	rep.put(&m, 1000-minRecords, 0, 1000, 1, []int32{2})
	if rec := rep.at(1000); rec == nil || rec.words[0] != 1 || rep.newest != 1000 {
		t.Errorf("after old news: %+v, newest %d", rec, rep.newest)
	}
	// At its largest the ring gives up old records, not new ones.
	for send := uint32(2000); send < 2000+2*maxRecords; send++ {
		rep.put(&m, send, send, 1, 1, []int32{int32(send)})
	}
	if len(rep.ring) != maxRecords {
		t.Fatalf("a ring of %d", len(rep.ring))
	}
	rep.put(&m, 2000, 2000, 1, 1, []int32{-1})
	for send := uint32(2000 + maxRecords); send < 2000+2*maxRecords; send++ {
		if rec := rep.at(send); rec == nil || rec.words[0] != int32(send) {
			t.Fatalf("the record of %d: %+v", send, rec)
		}
	}
}

func TestReplicaStaysSmallAboveTheMemoryLimit(t *testing.T) {
	var rep replica
	m := memory{used: maxMemory}
	for send := uint32(1); send < 100; send++ {
		rep.put(&m, send, send, 1, 1, []int32{1})
	}
	if len(rep.ring) != minRecords || rep.at(99) == nil {
		t.Errorf("a ring of %d", len(rep.ring))
	}
}

func TestReplicaAround(t *testing.T) {
	var rep replica
	var m memory
	if from, to := rep.around(5); from != nil || to != nil {
		t.Error("nothing has records")
	}
	for _, send := range []uint32{4, 2, 9} {
		rep.put(&m, send, send*10, 1, 1, nil)
	}
	for _, c := range []struct {
		at       float64
		from, to uint32
	}{{19.9, 0, 20}, {20, 20, 40}, {39, 20, 40}, {40, 40, 90}, {89.9, 40, 90}, {90, 90, 0}, {1e9, 90, 0}} {
		from, to := rep.around(c.at)
		if tickAt(from) != c.from || tickAt(to) != c.to {
			t.Errorf("around %v: %d and %d", c.at, tickAt(from), tickAt(to))
		}
	}
}

func tickAt(r *record) uint32 {
	if r == nil {
		return 0
	}
	return r.tick
}
