package main

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// scene is a server's side of blocks: an entity a slot, which walks.
type scene struct {
	*witness
	encoder delta.Encoder
	at      map[uint32]*delta.Group // by send
}

func newScene() *scene {
	t := &truths{steps: 3}
	return &scene{witness: newWitness(game.Protocol(), 60, 10, t), at: make(map[uint32]*delta.Group)}
}

// send makes the state of a send, and tells the truth of it.
func (s *scene) send(n uint32) {
	g, t := new(delta.Group), &told{tick: 3 * n, send: n, at: make(map[components.NetID]row)}
	g.Reset(n)
	c := &s.components
	mask := uint64(1)<<c.position | 1<<c.heading | 1<<c.health
	for k := range 5 {
		is := row{float32(100*k) + 5*float32(n), 50, uint16(k) << 12, uint8(100 - k)}
		t.at[components.NetID(k+1)] = is
		rec := g.Put(k, uint32(k+1), mask, s.layout.RecordWords(mask))
		pos, head, health := components.Position{X: is.x, Y: is.y}, components.Heading{Angle: is.heading}, components.Health{Points: is.health}
		for i, p := range map[int]unsafe.Pointer{c.position: unsafe.Pointer(&pos), c.heading: unsafe.Pointer(&head), c.health: unsafe.Pointer(&health)} {
			c.schemas[i].Quantize(rec[s.layout.Offset(mask, i):], 1, p, 1)
		}
	}
	for k := 5; k < delta.GroupSize; k++ {
		g.Clear(k, false)
	}
	s.at[n] = g
	s.truths.ring[n%uint32(len(s.truths.ring))] = t
}

// hear makes a client open a block of a send, against an older one.
func (s *scene) hear(client int, send, age uint32, change func(*swarm.Block)) {
	part := delta.Part{Cur: s.at[send], Slots: ^uint64(0)}
	if age > 0 {
		part.Base = s.at[send-age]
	}
	body, coder := s.encoder.Append(nil, s.model, []delta.Part{part})
	b := swarm.Block{Count: 1, Slots: part.Slots, Age: age, Coder: uint8(coder), Data: body}
	if change != nil {
		change(&b)
	}
	s.body(swarm.Body{Client: client, Send: send, Blocks: []swarm.Block{b}})
}

// Each distinct block is decoded once, against states that anybody was told of, and compared with the truth.
func TestWitness_DecodesEachBlockOnce(t *testing.T) {
	s := newScene()
	for n := uint32(1); n <= 4; n++ {
		s.send(n)
	}
	for client := range 10 {
		s.hear(client, 1, 0, nil)
		s.hear(client, 2, 1, nil)
		s.hear(client, 4, 2+uint32(client%2), nil)
	}
	own := func(b *swarm.Block) { b.Own = true }
	s.hear(0, 4, 0, own)
	if w := s.witnessed; w.Blocks != 30 || w.Distinct != 4 || w.Matched != 26 || w.Own != 1 || w.Claims != 15 || w.Wrong+w.Unknown+w.Unclaimed != 0 || w.MaxError > most {
		t.Errorf("%+v", w)
	}
}

// What is not as it was is noticed: in the state, in the bytes, or because nobody was told of what it stands on.
func TestWitness_NoticesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		spoil                   func(*scene)
		wrong, unknown, pending bool
	}{
		"nothing": {spoil: func(s *scene) { s.hear(1, 3, 1, nil) }},
		"the truth is elsewhere": {func(s *scene) {
			x := s.truths.ring[3].at[2]
			x.x += 1
			s.truths.ring[3].at[2] = x
			s.hear(1, 3, 1, nil)
		}, true, false, false},
		"health": {func(s *scene) {
			x := s.truths.ring[3].at[2]
			x.health--
			s.truths.ring[3].at[2] = x
			s.hear(1, 3, 1, nil)
		}, true, false, false},
		"nobody there": {func(s *scene) { delete(s.truths.ring[3].at, 4); s.hear(1, 3, 1, nil) }, true, false, false},
		"told in two ways": {func(s *scene) {
			s.hear(1, 3, 1, nil)
			s.at[3].Record(0)[0] += 2
			s.hear(1, 3, 1, nil)
		}, true, false, false},
		"cut off": {func(s *scene) { s.hear(1, 3, 1, func(b *swarm.Block) { b.Data = b.Data[:1] }) }, true, false, false},
		"a state that nobody was told of": {func(s *scene) {
			s.send(4)
			s.hear(1, 4, 1, nil)
		}, false, true, false},
		"no truth yet": {func(s *scene) { s.truths.ring[3] = nil; s.hear(1, 3, 1, nil) }, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			for n := uint32(1); n <= 3; n++ {
				s.send(n)
			}
			s.hear(1, 1, 0, nil)
			s.hear(1, 2, 1, nil)
			c.spoil(s)
			if w := s.witnessed; (w.Wrong > 0) != c.wrong || (w.Difference != "") != c.wrong || (w.Unknown > 0) != c.unknown || (len(s.claims) > 0) != c.pending {
				t.Errorf("%+v, %d claims wait", w, len(s.claims))
			}
		})
	}
	s := newScene()
	for n := uint32(1); n <= 20; n++ {
		s.send(n)
	}
	s.truths.ring[1] = nil
	s.hear(1, 1, 0, nil)
	s.hear(1, 20, 0, nil)
	if s.Unclaimed != 5 || len(s.claims) != 0 {
		t.Errorf("%+v: who waits for a truth for ever?", s.witnessed)
	}
}

// Clients number groups for themselves, and may have been told of the same group in different ways: a block is the same
// for those that have the same of what it stands on.
func TestWitness_KnowsWhoSeesWhat(t *testing.T) {
	s := newScene()
	for n := uint32(1); n <= 3; n++ {
		s.send(n)
	}
	void := new(delta.Group)
	void.Reset(2)
	for k := range delta.GroupSize {
		void.Clear(k, true)
	}
	tell := func(client int, first, send uint32, slots uint64, is, base *delta.Group) {
		part := delta.Part{Cur: is, Base: base, Slots: slots}
		b := swarm.Block{First: first, Count: 1, Slots: part.Slots}
		if base != nil {
			b.Age = send - base.Send
		}
		body, coder := s.encoder.Append(nil, s.model, []delta.Part{part})
		b.Data, b.Coder = body, uint8(coder)
		s.body(swarm.Body{Client: client, Send: send, Blocks: []swarm.Block{b}})
	}
	const all, low, high = ^uint64(0), uint64(3), ^uint64(3)
	tell(1, 7, 2, all, void, nil)    // may not see it
	tell(2, 4, 2, all, s.at[2], nil) // does
	tell(3, 9, 2, all, s.at[2], nil) // so does this one, by another number
	tell(1, 7, 3, all, s.at[3], void)
	tell(2, 4, 3, all, s.at[3], s.at[2])
	tell(3, 9, 3, all, s.at[3], s.at[2])
	if w := s.witnessed; w.Distinct != 4 || w.Matched != 2 || w.Wrong+w.Unknown != 0 || w.Claims != 10 {
		t.Errorf("%+v", w)
	}
	tell(3, 8, 3, all, s.at[3], s.at[2]) // of 8 it was never told
	if w := s.witnessed; w.Unknown != 1 || w.Wrong != 0 {
		t.Errorf("%+v", w)
	}
	// One that was told in two blocks has the same as others, and does not have what neither told.
	tell(4, 0, 2, low, s.at[2], nil)
	tell(4, 0, 3, all, s.at[3], s.at[2])
	if w := s.witnessed; w.Unknown != 2 {
		t.Errorf("%+v", w)
	}
	tell(4, 0, 2, high, s.at[2], nil)
	tell(4, 0, 3, all, s.at[3], s.at[2])
	if w := s.witnessed; w.Unknown != 2 || w.Wrong != 0 || w.Distinct != 7 || w.Claims != 10 {
		t.Errorf("%+v", w)
	}
}

// A report in which nothing was compared, or could be read, does not say that all is right.
func TestReport_NothingComparedIsNotRight(t *testing.T) {
	for name, c := range map[string]struct {
		b     sent
		wrong bool
	}{
		"all is right":     {sent{verified: verified{States: 3}}, false},
		"nothing compared": {sent{}, true},
		"unread":           {sent{verified: verified{States: 3}, malformed: 1}, true},
		"unread by blind":  {sent{verified: verified{States: 3}, blind: &swarm.Report{Verified: swarm.Verified{Malformed: 2}}}, true},
		"a wrong entity":   {sent{verified: verified{States: 3, Different: 1}}, true},
		"a wrong block":    {sent{verified: verified{States: 3}, witnessed: witnessed{Wrong: 1}}, true},
	} {
		var r socketReport
		if r.verify(&sent{}, &c.b); (r.Different > 0) != c.wrong {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
