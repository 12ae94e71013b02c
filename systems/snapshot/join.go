package snapshot

import (
	"math/bits"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client joins with the state of one send. As long as all of that fits one
// snapshot, each send is such a state, until one has arrived whole. Otherwise the
// state of the send at hand is kept, cut into blocks, and these stream, the most
// important first, beside own state and deltas of the groups that have arrived.
type joining uint8

const (
	joinNow    joining = iota // with the send at hand
	joinStream                // with a kept one
	joinNone                  // it has joined
)

// unknownRTT is after how many sends an unacknowledged block of a join is sent again
// while the round trip is not known.
const unknownRTT = 10

// clientJoin is the state with which a client joins.
type clientJoin struct {
	state  joining
	at     uint32      // send in which it began
	stream *join       // while it streams
	send   uint32      // newest send that the client was to join with
	whole  []joinWhole // those that it was to join with whole, by send
}

// joinWhole is a send with whose state a client was to join, and how many slots of that have not arrived.
type joinWhole struct{ send, slots uint32 }

// with notes that the client is to join with the state of a send, of so many groups, whole.
func (j *clientJoin) with(send, groups uint32) {
	if j.whole == nil {
		j.whole = make([]joinWhole, capture.Kept)
	}
	j.send, j.whole[send%capture.Kept] = send, joinWhole{send, groups * delta.GroupSize}
}

// got notes that a packet arrived; it reports whether all that its send told of is there, whatever came or went out of sight since.
func (j *clientJoin) got(x *baseline.Packet) (all bool) {
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

// keeps is the oldest send that the client needs for joining, of those up to one.
func (j *clientJoin) keeps(send uint32) uint32 {
	if j.state == joinStream {
		return min(send, j.stream.send)
	}
	return send
}

// has reports whether a group of the state that streams has arrived, or was not there then.
func (j *clientJoin) has(g int) bool {
	return j.state != joinStream || g >= len(j.stream.pending) || j.stream.pending[g] == 0
}

// arrived notes that a block of the state of a send has arrived; it reports whether all of
// that is there now.
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
	*joinSnapshot
	chunks  []chunk
	left    int
	pending []uint16 // by group: chunks that have not arrived
}

// chunk is a block of a kept state on its way to a client.
type chunk struct {
	block
	important float32
	sent      uint32 // send in which it went out last; 0: not yet
	done      bool
}

// censor takes entities that went out of a client's sight out of the state that
// still streams to it. What was sent of them already it is told to hide.
func (j *join) censor(e *encoder, g int, slots uint64) {
	if j.all || g >= len(j.groups) || j.groups[g].Alive&slots == 0 {
		return
	}
	for m := j.groups[g].Alive & slots; m != 0; m &= m - 1 {
		j.groups[g].Clear(bits.TrailingZeros64(m), false)
	}
	for i := range j.chunks {
		c := &j.chunks[i]
		if uint32(g) >= c.First && uint32(g) < c.First+c.Count && c.Slots&slots != 0 {
			c.fill(e.fresh(&j.arena, j.model, &c.BlockHead, j.groups[c.First:], nil, nil))
		}
	}
}

// stream lays out blocks of the state with which the client joins, as many as fit.
func (c *Client) stream(pk *packing, send, wait uint32) {
	chunks := c.join.stream.chunks
	for i := range chunks {
		x := &chunks[i]
		if x.done || x.sent != 0 && send-x.sent <= wait {
			continue
		}
		if !pk.add(x.block, contentJoin) {
			c.contest.starved = c.contest.starved || !pk.has(contentJoin)
			return
		}
		x.sent = send
	}
}

// roundTrip is how many sends pass at least until an acknowledgement can have come.
func (c *Client) roundTrip(rate int) uint32 {
	rtt := c.peer.RoundTrip()
	if rtt == 0 {
		return unknownRTT
	}
	return uint32(rtt/(time.Second/time.Duration(rate))) + 1
}

// joinSnapshot is a state of the world that is kept for clients to join with.
type joinSnapshot struct {
	send   uint32
	model  *delta.Model
	late   uint8 // see [wire.SnapshotHeader]
	groups []delta.Group
	room   int  // longest body of a block
	all    bool // nothing is left out, so that any client may join with it
	users  int
	arena  []byte // bodies of the blocks
	chunks []chunk
	big    []wire.BlockHead // slots with entities that fit nowhere: they are told as empty
}
