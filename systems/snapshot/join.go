package snapshot

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client joins with the state of one send. While its whole view fits into one snapshot, each send contains the whole view,
// until one has arrived completely. Otherwise the server keeps the state of one send in pieces, and streams them to the client
// over several sends, beside owner state. When all pieces have arrived, the client holds that send: an ordinary baseline.

// joining is the phase of a client's join.
type joining uint8

const (
	joinNow    joining = iota // the client joins with the current send
	joinStream                // the client receives a kept state in pieces
	joinNone                  // the client has a whole state
)

// unknownRTT is the number of sends at the usual rate after which an unacknowledged piece of a kept state is sent again while the round trip is
// unknown.
const unknownRTT = 10

// shareJoin is the maximum age of a kept state, in sends, with which another client joins.
const shareJoin = 8

// clientJoin is the state of a client's join.
type clientJoin struct {
	state  joining
	at     uint32 // first send of the join
	pieces int    // of the state of the current send, if that is sent whole
	stream *join  // with joinStream
}

// join is the delivery of a kept state to one client.
type join struct {
	*kept
	sent  []pieceSent
	order []int32  // of the pieces
	late  []uint32 // ids of members that the client may no longer see, and of those that fit no snapshot of it, ascending
	left  int      // pieces that are not acknowledged
	arena []byte   // bodies of pieces without late members
}

// pieceSent is what is known about a piece of a client's join.
type pieceSent struct {
	encoded
	at   uint32 // newest send that contained the piece; 0: none
	done bool   // it was acknowledged
}

// arrived records that a piece of a kept state has arrived. It reports whether the whole state has arrived.
func (j *join) arrived(send uint32, piece int) (all bool) {
	if j == nil || j.send != send || j.sent[piece].done {
		return false
	}
	j.sent[piece].done = true
	j.left--
	return j.left == 0
}

// kept is the state of a view at one send, kept for joining clients.
type kept struct {
	f       *frames.Frame
	send    uint32
	after   uint8 // ticks from the first of the send to that of the state, see Late of [wire.SnapshotHeader]
	hash    uint64
	model   *delta.Model
	room    int // longest body of a piece
	users   int
	members []member // at that send
	pieces  []encoded
	first   []int32  // the index of the first member of each piece
	big     []uint32 // ids of members that fit nowhere, ascending
	arena   []byte
}

// joins holds the kept states. Several workers may use it concurrently. The state with which a client joins does not depend on
// the order of the workers.
type joins struct {
	mu   sync.Mutex
	kept []*kept
}

// start starts to stream a kept state to the client of a draft: an earlier one, or that of the current send.
func (k *joins) start(d *draft) {
	s, c, f := d.sys, d.c, d.f
	k.mu.Lock()
	defer k.mu.Unlock()
	rest := s.laterHeader() + wire.MaxJoinHeader + wire.MaxBlockHead
	room := min(netsys.MaxPayload, max(c.budget/2, MinBudget/2)) - rest
	biggest := min(netsys.MaxPayload, c.budget) - rest // the longest body that a datagram of a join can have
	var x *kept
	for _, y := range k.kept {
		if y.room != room || y.model != c.model || f.Send-y.send > shareJoin || y.send <= c.shown || y.send <= c.floor ||
			!c.view.was(y.send, y.hash) || d.anyLate(y) {
			continue
		}
		if x == nil || x.send == f.Send || y.send < f.Send && y.send > x.send { // the newest of those from earlier sends
			x = y
		}
	}
	if x == nil {
		x = d.keep(room, biggest)
		k.kept = append(k.kept, x)
	}
	x.users++
	j := &join{kept: x, sent: make([]pieceSent, len(x.pieces)), left: len(x.pieces), late: slices.Clone(x.big)}
	for i := range j.sent {
		j.sent[i].encoded = x.pieces[i]
	}
	for _, first := range [2]bool{true, false} { // the client's own entities come first
		for i := range x.pieces {
			if x.owns(i, c.own) == first {
				j.order = append(j.order, int32(i))
			}
		}
	}
	c.join.stream, c.join.state, c.shown = j, joinStream, max(c.shown, x.send)
}

// keep keeps the state of the client's view at the current send.
func (d *draft) keep(room, biggest int) *kept {
	s, c, f, v := d.sys, d.c, d.f, d.c.view
	x := &kept{f: f, send: f.Send, after: uint8(f.Tick - f.Number*s.sends.steps), hash: v.hash, model: c.model, room: room}
	s.frames.Pin(f)
	for i := range v.members {
		if m := &v.members[i]; m.until == 0 {
			x.members = append(x.members, *m)
		}
	}
	b := x.block()
	cut := cutting{room: room, alone: biggest, arena: &x.arena}
	d.cut(&cut, &b, s.shared.sizes.of(0)*len(x.members)>>sizeShift)
	x.pieces, x.first = cut.to, cut.first
	for i := range cut.big {
		x.big = append(x.big, cut.big[i].id)
		d.stats.Oversized++
		d.notes.add(note{kind: noteBig, id: cut.big[i].id, mask: cut.big[i].mask})
	}
	slices.Sort(x.big)
	return x
}

// block returns the block of all members of a kept state.
func (x *kept) block() setBlock {
	return setBlock{v: &view{members: x.members}, now: state{send: x.send, world: x.f}, to: len(x.members), fromStart: true}
}

// within returns the members of a piece.
func (x *kept) within(piece int) (from, to int) {
	to = len(x.members)
	if piece+1 < len(x.first) {
		to = int(x.first[piece+1])
	}
	return int(x.first[piece]), to
}

// owns reports whether a piece contains an entity of a client.
func (x *kept) owns(piece int, client uint32) bool {
	from, to := x.within(piece)
	for i := from; i < to; i++ {
		if m := &x.members[i]; x.f.Owner(int(m.group), int(m.slot)) == client {
			return true
		}
	}
	return false
}

// release ends the use of the state with which a client was to join.
func (k *joins) release(s *System, c *Client) {
	if c.join.stream == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unuse(s, c.join.stream.kept)
	c.join.stream = nil
}

// unuse ends one use of a kept state.
func (k *joins) unuse(s *System, x *kept) {
	if x.users--; x.users == 0 {
		s.frames.Unpin(x.f)
		k.kept = slices.DeleteFunc(k.kept, func(y *kept) bool { return y == x })
	}
}

// endStream records that all pieces of a kept state have arrived: the client has joined, and that send is its baseline.
func (s *System) endStream(c *Client) {
	j := c.join.stream
	c.join.stream, c.join.state = nil, joinNone
	c.held.joined = &joined{kept: j.kept, late: j.late}
	c.held.hold(j.send)
	c.held.told = max(c.held.told, j.send)
}

// releaseJoined ends the use of the kept send with which a client joined, once nothing needs it as a baseline.
func (h *held) releaseJoined(s *System) {
	if h.joined == nil {
		return
	}
	k := &s.shared.joins
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unuse(s, h.joined.kept)
	if h.whole == h.joined.send {
		h.whole = 0
	}
	h.joined = nil
}

// hides reports whether a client that receives a kept state of v must not be sent a member any more: it went out of sight since, or
// lost a component that the client could see.
func (d *draft) hides(v *view, m *member) bool {
	if m.replaced {
		return d.sys.config.Interest.HidesComponents()
	}
	return m.hidden
}

// anyLate reports whether a kept state contains members that the client may no longer see.
func (d *draft) anyLate(x *kept) bool {
	v := d.c.view
	for i := range v.members {
		if m := &v.members[i]; m.until > x.send && m.since <= x.send && d.hides(v, m) {
			return true
		}
	}
	return false
}

// removeLate takes members that the client may no longer see out of the pieces that it has not acknowledged.
func (d *draft) removeLate() {
	j, v := d.c.join.stream, d.c.view
	if v.left == 0 {
		return
	}
	for i := range v.members {
		m := &v.members[i]
		if m.until <= j.send || m.since > j.send || !d.hides(v, m) {
			continue
		}
		late, done := slices.BinarySearch(j.late, m.id)
		if done {
			continue
		}
		at, ok := slices.BinarySearchFunc(j.members, m, func(a member, b *member) int { // in another view it may have come at another time
			return cmp.Or(cmp.Compare(a.mask, b.mask), cmp.Compare(a.id, b.id))
		})
		if !ok {
			continue
		}
		piece, _ := slices.BinarySearch(j.first, int32(at)+1)
		if p := &j.sent[piece-1]; !p.done {
			j.late = slices.Insert(j.late, late, m.id)
			b := j.block()
			b.from, b.to = j.within(piece - 1)
			b.late = j.late
			d.gather(&b)
			p.encoded = d.encodeGathered(&j.arena, &b)
		}
	}
}

// fitStream packs pieces of the state with which the client joins, as many as fit.
func (d *draft) fitStream() {
	c, pk := d.c, &d.pack
	j, wait := c.join.stream, d.sys.roundTripSends(c)
	d.removeLate()
	for _, i := range j.order {
		x := &j.sent[i]
		if x.done || x.at != 0 && d.f.Send-x.at <= wait {
			continue
		}
		b := newBlock(wire.BlockHead{Piece: true, Number: uint32(i)}, x.encoded, j.send)
		b.chunk = int(i)
		if !pk.add(b) {
			c.starved = c.starved || !pk.has(contentJoin)
			return
		}
		x.at = d.f.Send
	}
}

// roundTripSends returns the number of sends after which an acknowledgement can arrive.
func (s *System) roundTripSends(c *Client) uint32 {
	rtt := c.peer.RoundTrip()
	if rtt == 0 {
		return unknownRTT * max(s.sends.usual/s.sends.every, 1)
	}
	return uint32(rtt.Seconds()*s.Rate()) + 1
}
