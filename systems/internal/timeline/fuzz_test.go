package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// After arbitrary calls in arbitrary order, a timeline stays within its bounds, and its world equals that of a peer that got
// all accepted inputs in time. Ticks are relative to the next one and folded into the neighbourhood of the window, except for
// the most distant.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 3, 3, 3, 1, 1, 0xfe, 5, 3, 3})
	f.Add([]byte{1, 0, 1, 0, 0, 2, 0, 3, 3, 1, 1, 0xff, 8, 1, 2, 0xfe, 4, 3, 2, 1, 0, 3, 0, 1, 2, 3, 3})
	f.Add([]byte{2, 0, 1, 0, 0, 2, 2, 3, 3, 3, 4, 1, 0xfe, 7, 4, 1, 0xfd, 0x80, 5, 4, 3, 1, 2, 0, 9, 3, 2, 2, 0xff, 3})
	f.Add([]byte{4, 0, 1, 0, 1, 1, 0, 3, 3, 3, 1, 1, 1, 3, 3, 2, 1, 0, 3, 0, 1, 0, 3, 1, 1, 0, 8, 3})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) == 0 || len(ops) > 600 {
			return
		}
		config := timeline.Config{
			Window: 12, Early: 6, Fills: 4, Players: 3,
			Follower: ops[0]&1 != 0, Unmerged: ops[0]&6 == 2, Wait: ops[0]&6 == 4,
		}
		l := newTimeline(config)
		type key struct{ player, tick uint32 }
		type coming struct {
			key
			join bool
		}
		taken := map[key][]int32{}
		var comings []coming
		next := func() (b byte) {
			if len(ops) > 0 {
				b, ops = ops[0], ops[1:]
			}
			return b
		}
		next()
		step := func() {
			horizon := l.Horizon()
			ok := l.Step()
			s := l.Stats()
			if s.Longest > 12 || !config.Unmerged && s.Last > 12 || l.Horizon() < horizon || l.Horizon() > l.Next() || !ok && !config.Wait {
				t.Fatalf("next tick %d, horizon %d after %d, %+v", l.Next(), l.Horizon(), horizon, s)
			}
		}
		for len(ops) > 0 {
			op := next()
			if op%8 == 3 {
				step()
				continue
			}
			k := key{uint32(next() % 4), l.Next()}
			if d := int8(next()); d > -128 {
				k.tick += uint32(int32(d % 16))
			} else {
				k.tick -= 128
			}
			switch op % 8 {
			case 0:
				if l.Join(k.player, k.tick, k.tick, "") == nil {
					comings = append(comings, coming{k, true})
				}
			case 2:
				if l.Leave(k.player, k.tick) == nil {
					comings = append(comings, coming{k, false})
					for sent := range taken { // what it sent ahead goes with it
						if sent.player == k.player && sent.tick >= k.tick {
							delete(taken, sent)
						}
					}
				}
			case 5:
				l.SetServerHorizon(k.tick % 1024)
			default:
				b := next()
				in := testgame.Words(steer{DX: int8(b%3) - 1, DY: int8(b/3%3) - 1, Fire: b&64 != 0})
				if op%8 == 4 && config.Follower {
					if b&128 != 0 {
						in = nil
					}
					if v := l.Overrule(k.player, k.tick, in); v <= timeline.Agreed {
						taken[k] = in
					}
				} else if l.Put(k.player, k.tick, in) <= timeline.Agreed {
					taken[k] = in
				}
			}
		}
		step()
		in := newTimeline(timeline.Config{Players: 4, Fills: config.Fills})
		for in.Next() < l.Next() {
			for _, c := range comings {
				switch {
				case c.tick != in.Next():
				case c.join:
					testgame.Must(t, in.Join(c.player, c.tick, c.tick, ""))
				default:
					testgame.Must(t, in.Leave(c.player, c.tick))
				}
			}
			for p := range uint32(4) {
				if w := taken[key{p, in.Next()}]; w != nil {
					in.Put(p, in.Next(), w)
				}
			}
			steps(t, in, 1)
		}
		if in.World().Hash() != l.World().Hash() && (!config.Wait || l.AppendMissing(nil) == nil) {
			d, _ := ecs.Differs(in.World(), l.World())
			t.Errorf("before tick %d: %v", l.Next(), d)
		}
	})
}
