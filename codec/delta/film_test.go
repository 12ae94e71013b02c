package delta

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// film is the sends of a world that changes at random, for blocks between any of them.
type film struct {
	layout *Layout
	rng    *rand.Rand
	sends  [][]Group
}

// newFilm begins with groups of which nothing is known.
func newFilm(l *Layout, seed, stream uint64, groups int) film {
	f := film{layout: l, rng: rand.New(rand.NewPCG(seed, stream)), sends: [][]Group{make([]Group, groups)}}
	for g := range f.now() {
		f.now()[g].Send = 1
	}
	return f
}

// now returns the last send.
func (f *film) now() []Group { return f.sends[len(f.sends)-1] }

// next adds a send without changes.
func (f *film) next() (was, now []Group) {
	was = f.now()
	now = make([]Group, len(was))
	for g := range was {
		now[g].Send, now[g].Known, now[g].Hidden = was[g].Send+1, was[g].Known, was[g].Hidden
		for _, k := range wireSlots(was[g].Alive) {
			rec := was[g].Record(k)
			copy(now[g].Put(k, was[g].IDs[k], was[g].Masks[k], len(rec)), rec)
		}
	}
	f.sends = append(f.sends, now)
	return was, now
}

// parts returns the parts of a block of the last send against the send age older, and against the send gap older than that. 0
// means no baseline. With nil slots, all slots are included.
func (f *film) parts(age, gap int, slots func(g int) uint64) []Part {
	at := len(f.sends) - 1
	parts := make([]Part, len(f.sends[at]))
	for g := range parts {
		p := &parts[g]
		p.Cur, p.Slots = &f.sends[at][g], ^uint64(0)
		if slots != nil {
			p.Slots = slots(g)
		}
		if age > 0 {
			p.Base = &f.sends[at-age][g]
			if gap > 0 {
				p.Base2 = &f.sends[at-age-gap][g]
			}
		}
	}
	return parts
}

// sceneEmpty returns the same parts with groups of which nothing is known.
func sceneEmpty(parts []Part) []Part {
	out := make([]Part, len(parts))
	for i, p := range parts {
		out[i] = p
		out[i].Cur = &Group{Send: p.Cur.Send}
	}
	return out
}

// sceneSame fails the test unless the slots of both parts are the same.
func sceneSame(t testing.TB, want, got []Part) {
	t.Helper()
	for i := range want {
		a, b, s := want[i].Cur, got[i].Cur, want[i].Slots
		if b.Known != s || (a.Alive^b.Alive)&s != 0 || (a.Hidden^b.Hidden)&s != 0 {
			t.Fatalf("part %d: known %x, alive %x, hidden %x; want %x, %x, %x", i, b.Known, b.Alive, b.Hidden, s, a.Alive&s, a.Hidden&s)
		}
		for s &= a.Alive; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			if a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] || !equal(a.Record(k), b.Record(k)) {
				t.Fatalf("part %d, slot %d: entity %d, mask %x, %v; want %d, %x, %v", i, k,
					b.IDs[k], b.Masks[k], b.Record(k), a.IDs[k], a.Masks[k], a.Record(k))
			}
		}
	}
}

// reads checks that a decoder decodes a body to the parts.
func reads(t testing.TB, d *Decoder, m *Model, parts []Part, body []byte, coder Coder) {
	t.Helper()
	got := sceneEmpty(parts)
	if err := d.Decode(body, coder, m, got); err != nil {
		t.Fatal(err)
	}
	sceneSame(t, parts, got)
}

// slotsOf returns the same slots of every group.
func slotsOf(slots uint64) func(int) uint64 { return func(int) uint64 { return slots } }
