package snapshot

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client joins with the state of one send. While the whole state fits into one snapshot, each send contains the whole state,
// until one has arrived completely. Otherwise the server keeps the state of one send and cuts it into blocks. It sends these
// blocks over several sends, the most important ones first, together with owner state and differences of the groups that have
// arrived.

// joining is the phase of a client's join.
type joining uint8

const (
	joinNow    joining = iota // the client joins with the current send
	joinStream                // the client receives a kept state in blocks
	joinNone                  // the client has a whole state
)

// unknownRTT is the number of sends after which an unacknowledged block of a kept state is sent again while the round trip is
// unknown.
const unknownRTT = 10

// shareJoin is the maximum age of a kept state, in sends, with which another client joins.
const shareJoin = 8

// clientJoin is the state of a client's join.
type clientJoin struct {
	state  joining
	at     uint32      // first send of the join
	stream *join       // with joinStream
	send   uint32      // newest send whose whole state was sent to the client
	whole  []joinWhole // states that were sent whole, by send
}

// joinWhole counts the slots of a state that was sent whole that have not arrived.
type joinWhole struct{ send, slots uint32 }

// sentWhole records that the whole state of a send is sent to the client. groups is the number of its groups.
func (j *clientJoin) sentWhole(send, groups uint32) {
	if j.whole == nil {
		j.whole = make([]joinWhole, capture.Kept)
	}
	j.send, j.whole[send%capture.Kept] = send, joinWhole{send, groups * delta.GroupSize}
}

// arrivedWhole records that a packet arrived. It reports whether the whole state of its send has arrived, even if entities have
// come into or gone out of sight since.
func (j *clientJoin) arrivedWhole(x *baseline.Packet) (all bool) {
	if j.whole == nil || j.whole[x.Send%capture.Kept].send != x.Send {
		return false
	}
	w := &j.whole[x.Send%capture.Kept]
	for i := range x.Blocks {
		if b := &x.Blocks[i]; !b.Own {
			w.slots -= uint32(b.Count) * uint32(bits.OnesCount64(b.Slots))
		}
	}
	return w.slots == 0
}

// oldestNeeded returns the oldest send, up to the given one, that the client needs for joining.
func (j *clientJoin) oldestNeeded(send uint32) uint32 {
	if j.state == joinStream {
		return min(send, j.stream.send)
	}
	return send
}

// has reports whether a group of the kept state has arrived, or is newer than that state.
func (j *clientJoin) has(g uint32) bool {
	return j.state != joinStream || int(g) >= len(j.stream.pending) || j.stream.pending[g] == 0
}

// arrived records that a block of a state has arrived. It reports whether the whole state has arrived.
func (j *clientJoin) arrived(send uint32, i int) (all bool) {
	if j.state != joinStream || j.stream.send != send || j.stream.chunks[i].done {
		return false
	}
	c := &j.stream.chunks[i]
	c.done = true
	for g := c.First; g < c.First+c.Count; g++ {
		j.stream.pending[g]--
	}
	j.stream.left--
	return j.stream.left == 0
}

// join is the delivery of a kept state to one client.
type join struct {
	*joinState
	chunks  []chunk
	left    int
	pending []uint16 // by group: chunks that have not arrived
}

// chunk is a block of a kept state that is sent to a client.
type chunk struct {
	block
	importance float32
	sent       uint32 // newest send that contained the block; 0: none
	done       bool   // the client acknowledged the block
}

// removeHidden removes entities that went out of a client's sight from the kept state. It sends the slots that the client has
// already received as hidden.
func (j *join) removeHidden(e *encoder, g int, slots uint64) {
	if j.all || g >= len(j.groups) || j.groups[g].Alive&slots == 0 {
		return
	}
	for m := j.groups[g].Alive & slots; m != 0; m &= m - 1 {
		j.groups[g].Clear(bits.TrailingZeros64(m), false)
	}
	for i := range j.chunks {
		c := &j.chunks[i]
		if uint32(g) >= c.First && uint32(g) < c.First+c.Count && c.Slots&slots != 0 {
			c.setBody(e.encodeInto(&j.arena, j.model, &c.BlockHead, j.groups[c.First:], nil, nil))
		}
	}
}

// packJoin packs blocks of the state with which the client joins, as many as fit.
func (c *Client) packJoin(pk *packing, send, wait uint32) {
	chunks := c.join.stream.chunks
	for i := range chunks {
		x := &chunks[i]
		if x.done || x.sent != 0 && send-x.sent <= wait {
			continue
		}
		if !pk.add(x.block) {
			c.starved = c.starved || !pk.has(contentJoin)
			return
		}
		x.sent = send
	}
}

// roundTripSends returns the number of sends after which an acknowledgement can arrive.
func (c *Client) roundTripSends(rate int) uint32 {
	rtt := c.peer.RoundTrip()
	if rtt == 0 {
		return unknownRTT
	}
	return uint32(rtt/(time.Second/time.Duration(rate))) + 1
}

// joinState is a state of the world that is kept for joining clients.
type joinState struct {
	send   uint32
	model  *delta.Model
	late   uint8 // see [wire.SnapshotHeader]
	groups []delta.Group
	room   int  // longest body of a block
	all    bool // nothing is hidden in the state: any client may join with it
	users  int
	arena  []byte // bodies of the blocks
	chunks []chunk
	big    []wire.BlockHead // slots of entities that fit nowhere: they are sent as empty
}

// joins holds the kept states. Several workers may use it concurrently. The state with which a client joins does not depend on
// the order of the workers.
type joins struct {
	mu   sync.Mutex
	kept []*joinState
}

// start starts to send a kept state to the client of a draft: an earlier one, or the state of the current send.
func (k *joins) start(d *draft) {
	s, c, f := d.sys, d.c, d.f
	k.mu.Lock()
	defer k.mu.Unlock()
	rest := s.laterHeader() + wire.MaxJoinHeader + wire.MaxBlockHead
	room := min(netsys.MaxPayload, max(c.budget/2, MinBudget/2)) - rest
	biggest := min(netsys.MaxPayload, c.budget) - rest // the longest body that a datagram of a join can have
	hides := c.baselines.Hides()
	var x *joinState
	for _, y := range k.kept {
		if !y.all || hides || y.room != room || y.model != c.model || f.Send-y.send > shareJoin || y.send <= c.join.send || y.send <= c.baselines.Floor() {
			continue
		}
		if x == nil || x.send == f.Send || y.send < f.Send && y.send > x.send { // the newest of those from earlier sends
			x = y
		}
	}
	if x == nil {
		x = &joinState{send: f.Send, model: c.model, late: uint8(f.Tick - f.Send*s.sends.steps), room: room, all: !hides}
		for g := range f.Groups {
			hidden, _ := c.baselines.World.At(uint32(g)).Hidden()
			x.groups = append(x.groups, withoutSlots(&f.Groups[g], hidden))
		}
		x.cut(d, wire.BlockHead{Count: uint32(len(x.groups)), Slots: wire.AllSlots}, biggest)
		k.kept = append(k.kept, x)
	}
	x.users++
	for _, b := range x.big {
		c.baselines.LeaveOut(b.First, f.Send, b.Slots)
		c.leftOut = true
	}
	j := &join{joinState: x, chunks: slices.Clone(x.chunks), left: len(x.chunks), pending: make([]uint16, len(x.groups))}
	for i := range j.chunks {
		b := &j.chunks[i]
		for g := b.First; g < b.First+b.Count; g++ {
			j.pending[g]++
			for m := b.Slots & x.groups[g].Alive; m != 0; m &= m - 1 {
				b.importance = max(b.importance, d.joinImportance(int(g), bits.TrailingZeros64(m)))
			}
		}
	}
	slices.SortStableFunc(j.chunks, func(a, b chunk) int { return -cmp.Compare(a.importance, b.importance) })
	for i := range j.chunks {
		j.chunks[i].chunk = i
	}
	c.join.stream, c.join.state = j, joinStream
}

// release ends the use of the state with which a client was to join.
func (k *joins) release(c *Client) {
	if c.join.stream == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	x := c.join.stream.joinState
	if x.users--; x.users == 0 {
		k.kept = slices.DeleteFunc(k.kept, func(y *joinState) bool { return y == x })
	}
	c.join.stream = nil
}

// cut cuts a run of groups of a kept state into blocks.
func (x *joinState) cut(d *draft, run wire.BlockHead, biggest int) {
	if run.Count == 0 {
		return
	}
	b := d.encoder.encodeCounted(&x.arena, x.model, &run, x.groups[run.First:], nil, nil)
	alive := x.groups[run.First].Alive
	alone := bits.OnesCount64(run.Slots&alive) <= 1
	switch {
	case len(b.body) <= x.room || run.Count == 1 && alone && len(b.body) <= biggest:
		x.chunks = append(x.chunks, chunk{block: newBlock(run, b, x.send)})
	case run.Count > 1:
		low, high := run.Halve()
		x.cut(d, low, biggest)
		x.cut(d, high, biggest)
	case alone:
		// The entity does not fit even alone: it is sent as empty, and left out from now on.
		x.big = append(x.big, wire.BlockHead{First: run.First, Slots: run.Slots & alive})
		x.groups[run.First].Clear(bits.TrailingZeros64(run.Slots&alive), false)
		d.stats.Oversized++
		x.cut(d, run, biggest)
	default:
		low, high := run, run
		low.Slots, high.Slots = wire.HalveSlots(run.Slots, alive)
		x.cut(d, low, biggest)
		x.cut(d, high, biggest)
	}
}

// joinImportance ranks an entity for a joining client: its own entities come first.
func (d *draft) joinImportance(g, slot int) float32 {
	config := &d.sys.config
	switch e := d.f.Entity(g, slot); {
	case d.f.Owner(g, slot) == d.c.own:
		return 1e30
	case config.Priority == nil || !d.w.Alive(e):
		return 0
	default:
		return min(config.gain(d.w, d.f, d.c.sight, g, slot), 1e29)
	}
}

// withoutSlots returns a copy of a group in which the hidden slots are empty.
func withoutSlots(cur *delta.Group, hidden uint64) (seen delta.Group) {
	seen.Reset(cur.Send)
	for k := range delta.GroupSize {
		if bit := uint64(1) << k; cur.Alive&^hidden&bit != 0 {
			rec := cur.Record(k)
			copy(seen.Put(k, cur.IDs[k], cur.Masks[k], len(rec)), rec)
		} else {
			seen.Clear(k, false)
		}
	}
	return seen
}
