package channel

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

// modelConfig has each kind, and small queues, so that they fill.
func modelConfig() Config {
	return Config{
		Piece: 128,
		Channels: []ChannelConfig{
			{Name: "plain", Kind: Unreliable, Priority: 2, MaxMessage: 5000, Queue: 8},
			{Name: "newest", Kind: UnreliableSequenced, Priority: 3, MaxMessage: 9000},
			{Name: "any", Kind: ReliableUnordered, Priority: 1, MaxMessage: 20000, Queue: 50, QueueBytes: 60000},
			{Name: "order", Kind: ReliableOrdered, Priority: 1, MaxMessage: 20000, Queue: 77, QueueBytes: 60000},
			{Name: "bulk", Kind: ReliableOrdered, Priority: -1, MaxMessage: 50000, Queue: 3},
		},
	}
}

// witness checks what one direction of the model delivers.
type witness struct {
	t     *testing.T
	name  string
	sent  [5]uint64
	seen  [5]map[uint64]bool
	last  [5]uint64 // one more than the newest delivered
	count [5]int
}

func newWitness(t *testing.T, name string) *witness {
	w := &witness{t: t, name: name}
	for i := range w.seen {
		w.seen[i] = map[uint64]bool{}
	}
	return w
}

func (w *witness) got(number int, b []byte) {
	id := idOf(w.t, b)
	if id >= w.sent[number] {
		w.t.Fatalf("%s: channel %d delivers message %d of %d", w.name, number, id, w.sent[number])
	}
	if w.seen[number][id] {
		w.t.Fatalf("%s: channel %d delivers message %d twice", w.name, number, id)
	}
	w.seen[number][id] = true
	w.count[number]++
	switch number {
	case 1:
		if id < w.last[number] {
			w.t.Fatalf("%s: sequenced message %d after %d", w.name, id, w.last[number]-1)
		}
	case 3, 4:
		if id != w.last[number] {
			w.t.Fatalf("%s: channel %d delivers message %d after %d", w.name, number, id, w.last[number])
		}
	}
	w.last[number] = max(w.last[number], id+1)
}

// offer sends something, often more than there is room for.
func (w *witness) offer(e *Endpoint, r *rand.Rand) {
	for number := range 5 {
		if r.IntN(3) > 0 {
			continue
		}
		for range r.IntN(4) {
			n := r.IntN(60)
			if r.IntN(8) == 0 {
				n = r.IntN(e.channels[number].maxMessage)
			}
			if err := e.Send(number, text(w.sent[number], n)); err == nil {
				w.sent[number]++
			} else if err != ErrFull {
				w.t.Fatalf("%s: Send: %v", w.name, err)
			}
		}
	}
}

// TestModel runs both directions over random loss, duplicates and reordering, and checks the promises of all channel kinds:
// reliable messages arrive exactly once, and in order on ordered channels. Nothing arrives twice or damaged, and an honest
// peer causes no error.
func TestModel(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	var duplicates, spurious uint64
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		link := path{
			delay:  time.Duration(r.IntN(200)) * time.Millisecond,
			jitter: time.Duration(r.IntN(170)) * time.Millisecond,
			loss:   r.Float64() * 0.4,
			twice:  r.Float64() * 0.3,
		}
		p := newPair(t, modelConfig(), seed, link)
		p.a.next, p.b.next = uint16(r.Uint32()), 0xfff0
		ab, ba := newWitness(t, "to b"), newWitness(t, "to a")
		p.b.got, p.a.got = ab.got, ba.got
		for range 900 {
			p.room = 60 + r.IntN(1126)
			p.step(func() { ab.offer(p.a.e, r); ba.offer(p.b.e, r) })
		}
		p.room = 1185
		for ticks := 0; p.a.e.Stats().QueuedBytes+p.b.e.Stats().QueuedBytes > 0; ticks++ {
			if ticks > 60*120 {
				t.Fatalf("seed %d: %d and %d bytes still wait after two minutes: %+v", seed, p.a.e.Stats().QueuedBytes, p.b.e.Stats().QueuedBytes, p.a.e.Stats())
			}
			p.step(nil)
		}
		for _, w := range []*witness{ab, ba} {
			for number := 2; number < 5; number++ {
				if w.count[number] != int(w.sent[number]) {
					t.Errorf("seed %d: %s: channel %d delivered %d of %d", seed, w.name, number, w.count[number], w.sent[number])
				}
			}
			if w.count[0] == 0 || w.count[1] == 0 {
				t.Errorf("seed %d: %s: %d plain and %d sequenced messages", seed, w.name, w.count[0], w.count[1])
			}
		}
		for _, e := range []*Endpoint{p.a.e, p.b.e} {
			if s := e.Stats(); s.Resent == 0 || s.Delivered == 0 || s.Lost == 0 {
				t.Errorf("seed %d: the network was kind: %+v", seed, s)
			} else {
				duplicates += s.Duplicates
				spurious += s.Spurious
			}
			if s := e.Stats(); s.Malformed > 0 {
				t.Errorf("seed %d: %d malformed packets from an honest peer", seed, s.Malformed)
			}
			for i := range e.channels {
				if e.channels[i].sure != nil && e.channels[i].sure.in.used != 0 {
					t.Errorf("seed %d: channel %d still counts %d blocks", seed, i, e.channels[i].sure.in.used)
				}
			}
		}
	}
	if duplicates == 0 || spurious == 0 {
		t.Errorf("%d duplicates, %d late acknowledgements: nothing was tried", duplicates, spurious)
	}
}

// TestWrap sends enough messages and packets to wrap both numbers, over a path with losses.
func TestWrap(t *testing.T) {
	c := Config{MaxRate: 64 << 20, Rate: 64 << 20, Channels: []ChannelConfig{
		{Name: "long", Kind: Unreliable},
		{Name: "newest", Kind: UnreliableSequenced},
		{Name: "any", Kind: ReliableUnordered, Queue: 4096},
		{Name: "order", Kind: ReliableOrdered, Queue: 4096},
	}}
	p := newPair(t, c, 11, path{delay: 10 * time.Millisecond, jitter: 30 * time.Millisecond, loss: 0.05, twice: 0.05})
	p.a.next = 65000
	p.tick = 2 * time.Millisecond
	w := newWitness(t, "to b")
	p.b.got = w.got
	const most = 70_000
	for tick := 0; w.count[2] < most || w.count[3] < most || w.sent[1] < most/2; tick++ {
		if tick > 200_000 {
			t.Fatalf("%v of %v after %d ticks", w.count, w.sent, tick)
		}
		p.step(func() {
			for number := 2; number < 4; number++ {
				for w.sent[number] < most && p.a.e.Send(number, text(w.sent[number], 8)) == nil {
					w.sent[number]++
				}
			}
			for number := range 2 {
				_ = p.a.e.Send(number, text(w.sent[number], 8+(1-number)*1500))
				w.sent[number]++
			}
		})
	}
	if p.a.next > 60000 && p.a.e.Stats().PacketsOut < 65536 {
		t.Errorf("%d packets do not wrap", p.a.e.Stats().PacketsOut)
	}
	// Where jitter is fifteen messages wide, most sequenced ones come too late.
	if w.count[1] < most/8 || w.count[0] < most/4 {
		t.Errorf("delivered %v of %v", w.count, w.sent)
	}
}

// TestDeterminism runs the same thing twice.
func TestDeterminism(t *testing.T) {
	run := func() (all []byte) {
		r := rand.New(rand.NewPCG(1, 2))
		p := newPair(t, modelConfig(), 4, path{delay: 30 * time.Millisecond, jitter: 50 * time.Millisecond, loss: 0.1})
		w := newWitness(t, "")
		p.a.observe = func(b []byte) { all = append(all, b...) }
		for range 600 {
			p.step(func() { w.offer(p.a.e, r) })
		}
		return all
	}
	if !bytes.Equal(run(), run()) {
		t.Error("two runs differ")
	}
}
