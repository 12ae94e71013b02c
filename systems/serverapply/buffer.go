package serverapply

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// window is how many inputs around the expected one a buffer keeps track
// of: four seconds at 60 a second.
const window = 256

// MaxFills is how many missing inputs in a row are filled with what was held;
// after that the input is neutral (rule C4).
const MaxFills = 15

// buffer orders one client's inputs, whatever the link does to them.
type buffer struct {
	ring
	expected uint32 // next input to consume
	newest   uint32 // newest input received
	behind   uint32 // newest input of the newest packet, where that lies before expected; else 0
	any      bool   // an input was received
	running  bool   // consuming
	fills    int    // in a row
	batch    int    // inputs that a wake-up of the server consumes
	slack    slack
	stats    Stats
	lateInputs
}

// ring is the inputs around the expected one.
type ring struct {
	table *schema.Table
	slots [window]inputSlot
	words []int32 // window × table.Words
}

type inputSlot struct {
	seq  uint32
	have bool // received
	fill bool // consumed as a filler before it was received
}

// lateInputs is what becomes of inputs that come after their fillers.
type lateInputs struct {
	superseding bool    // they replace what is held
	real        uint32  // newest that was consumed or took the place of what is held
	late        []int32 // that is about to; empty: none
}

func newBuffer(t *schema.Table, tickRate, batch int) *buffer {
	b := &buffer{ring: ring{table: t, words: make([]int32, window*t.Words)}, batch: batch, expected: 1}
	b.slack.tickRate = int64(tickRate)
	b.slack.clear(0)
	return b
}

// follow makes the next input the one that follows seq, for a player that comes back.
func (b *buffer) follow(seq uint32) { b.expected, b.newest = seq+1, seq }

// waiting is how many inputs from the expected one on are there or known to be
// on their way.
func (b *buffer) waiting() int {
	if !b.any || b.newest < b.expected {
		return 0
	}
	return int(b.newest - b.expected + 1)
}

// receive takes in a packet of inputs. newestPacket says that no later packet
// of this client came before it.
func (b *buffer) receive(tick int64, m *wire.Input, newestPacket bool) {
	near := b.newest
	if !b.any {
		near += uint32(m.Count)
	}
	newest := codec.Lift(m.Newest, near)
	if newest == 0 || int64(newest) < int64(m.Count) {
		b.stats.Rejected += uint64(m.Count)
		return
	}
	if !b.any {
		b.any = true
		b.expected = newest - uint32(m.Count) + 1
		b.slack.clear(tick)
	}
	ahead := int64(newest) - int64(b.expected)
	if newestPacket {
		b.behind = 0
	}
	switch {
	case ahead >= window:
		b.resync(tick, newest)
		ahead = 0
	case ahead < 0 && newestPacket && b.running:
		b.behind = newest // settle decides: newer packets may be right behind it
	case ahead < -window:
		b.stats.Rejected += uint64(m.Count)
		return
	}
	b.newest = max(b.newest, newest)
	if b.running && b.behind == 0 {
		b.slack.arrived(tick, int(ahead), int64(b.newest)-int64(newest), m.Shift, newestPacket)
	}
	n := b.table.Words
	for i := range m.Count {
		seq := newest - uint32(m.Count-1-i)
		s := &b.slots[seq%window]
		if seq < b.expected {
			if s.seq == seq && s.fill {
				s.fill = false
				b.stats.Late++
				b.supersede(seq, m.Words[i*n:(i+1)*n])
			}
			if seq != b.behind {
				continue
			}
		} else if s.seq == seq && s.have {
			continue // the first one wins
		}
		*s = inputSlot{seq: seq, have: true}
		copy(b.words[int(seq%window)*n:], m.Words[i*n:(i+1)*n])
	}
}

// settle is called once all packets of a tick are in. When even the newest ends
// before the expected input, the client has stalled, and the buffer goes back to
// where it is. What a link held back and lets go in one burst is late, no more.
func (b *buffer) settle(tick int64) {
	if b.behind != 0 {
		b.resync(tick, b.behind)
		b.behind = 0
	}
	b.slack.settle(tick)
}

// resync starts afresh at the newest input of a client that stalled or jumped.
func (b *buffer) resync(tick int64, newest uint32) {
	b.stats.Resyncs++
	b.expected, b.newest = newest, newest
	b.running = false
	b.slack.tip.any = false
	b.slack.clear(tick)
}

// has reports whether an input is there to be consumed.
func (b *buffer) has(seq uint32) bool {
	s := &b.slots[seq%window]
	return s.have && s.seq == seq
}

// at is the words of an input that is there.
func (b *buffer) at(seq uint32) []int32 {
	n := b.table.Words
	i := int(seq%window) * n
	return b.words[i : i+n]
}

// startDepth is how far the newest input must be ahead before the first is
// consumed.
const startDepth = 2

// buffered decides one tick of timing Buffered: a hold, a real input or a
// filler. words is nil for fillers.
func (b *buffer) buffered(tick int64, loss float64) (step bool, words []int32) {
	if !b.running {
		if !b.any || b.newest < b.expected+uint32(startDepth+b.batch-1) {
			if b.stats.Ticks > 0 {
				b.stats.Holds++ // and not for the first time
			}
			return false, nil
		}
		b.running = true
		if depth := uint32(startDepth + b.batch - 1); b.newest-b.expected > depth+wire.MaxRedundancy {
			// Inputs that came while nothing was consumed would be delay for good.
			b.expected = b.newest - depth
			b.stats.Resyncs++
		}
	}
	need := clock.Reserve(loss) + int32(b.batch-1)
	if b.slack.surplus(b.waiting(), need) {
		b.stats.Resyncs++
		b.expected = b.newest - uint32(need)
		b.slack.clear(tick)
	}
	b.stats.Ticks++
	b.stats.Depth += uint64(b.waiting())
	if b.slack.decide(tick, need) {
		b.stats.Holds++
		return false, nil
	}
	return true, b.next()
}

// next consumes the expected input, or fills in for it: words is nil then.
func (b *buffer) next() (words []int32) {
	seq := b.expected
	b.expected++
	if b.has(seq) {
		b.consumed(seq)
		return b.at(seq)
	}
	b.slots[seq%window] = inputSlot{seq: seq, fill: true}
	b.filled()
	return nil
}

func (b *buffer) consumed(seq uint32) {
	b.fills, b.real, b.late = 0, seq, b.late[:0]
	b.stats.Consumed++
}

// supersede keeps a late input that is newer than what is held.
func (b *buffer) supersede(seq uint32, words []int32) {
	if b.superseding && seq > b.real {
		b.real, b.late = seq, append(b.late[:0], words...)
	}
}

// superseded is the late input that takes the place of what is held, once.
func (b *buffer) superseded() []int32 {
	words := b.late
	if b.late = b.late[:0]; len(words) > 0 {
		b.fills = 1
	}
	return words
}

func (b *buffer) filled() {
	b.fills++
	b.stats.Missing++
}

// neutral reports whether what is held has been repeated too often.
func (b *buffer) neutral() bool { return b.fills > MaxFills }
