package serverapply

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A buffer tracks the inputs of four seconds around the expected one, from minWindow of them, at up to 64 per second, to
// maxWindow, at 256 per second.
const (
	minWindow     = 256
	maxWindow     = 1024
	windowSeconds = 4
)

// windowAt returns the number of inputs around the expected one that a buffer tracks: a power of two.
func windowAt(tickRate int) uint32 {
	n := uint32(minWindow)
	for n < maxWindow && n < windowSeconds*uint32(tickRate) {
		n *= 2
	}
	return n
}

// MaxFills is the maximum number of consecutive missing inputs that repeat the held input; after that the input is
// neutral (rule C4).
const MaxFills = 15

// buffer orders the inputs of one client, in whatever order they arrive.
type buffer struct {
	ring
	expected uint32 // next input to consume
	newest   uint32 // newest input received
	behind   uint32 // newest input of the newest packet if it is before expected; otherwise 0
	any      bool   // an input was received
	running  bool   // inputs are being consumed
	fills    int    // consecutive fillers
	batch    int    // inputs that one wake-up of the server consumes
	slack    slack
	turn     turn
	stats    Stats

	// late inputs, which arrive after a filler was consumed for them
	superseding bool    // they replace the held input
	real        uint32  // newest input that was consumed or replaced the held one
	late        []int32 // words of the input that will replace the held one; empty: none
}

// ring holds inputs that were received and not consumed. It grows as needed, up to window.
type ring struct {
	window  uint32 // number of inputs around the expected one that are tracked
	table   *schema.Table
	seqs    []uint32 // by sequence modulo the length, a power of two
	words   []int32  // words of each
	fillers fillers
}

// minRing is the initial size of a ring.
const minRing = 8

// index returns the place of an input in a ring that is not empty.
func (r *ring) index(seq uint32) int { return int(seq) & (len(r.seqs) - 1) }

// has reports whether an input is stored.
func (r *ring) has(seq uint32) bool { return len(r.seqs) > 0 && r.seqs[r.index(seq)] == seq }

// at returns the words of a stored input.
func (r *ring) at(seq uint32) []int32 {
	n := r.table.Words
	i := r.index(seq) * n
	return r.words[i : i+n]
}

// put stores an input. The ring grows if it would otherwise lose an input from sequence from on, up to window.
func (r *ring) put(seq, from uint32, words []int32) {
	for n := len(r.seqs); n < int(r.window); n = len(r.seqs) {
		if n > 0 {
			if there := r.seqs[r.index(seq)]; there < from || there == seq {
				break
			}
		}
		old := *r
		r.seqs = make([]uint32, max(2*n, minRing))
		r.words = make([]int32, len(r.seqs)*r.table.Words)
		for _, there := range old.seqs {
			if there >= from {
				r.seqs[r.index(there)] = there
				copy(r.at(there), old.at(there))
			}
		}
	}
	r.seqs[r.index(seq)] = seq
	copy(r.at(seq), words)
}

// fillers marks the inputs of the window before the expected one that were replaced by fillers and have not
// arrived.
type fillers [maxWindow / 64]uint64

func (f *fillers) has(seq uint32) bool { return f[seq/64%(maxWindow/64)]&(1<<(seq%64)) != 0 }

// set marks or unmarks an input.
func (f *fillers) set(seq uint32, filler bool) {
	word := &f[seq/64%(maxWindow/64)]
	if *word &^= 1 << (seq % 64); filler {
		*word |= 1 << (seq % 64)
	}
}

func newBuffer(t *schema.Table, tickRate, batch int) *buffer {
	b := &buffer{ring: ring{table: t, window: windowAt(tickRate)}, batch: batch, expected: 1}
	b.slack.tickRate = int64(tickRate)
	b.slack.clear(0)
	return b
}

// jump makes to the expected input. No input between it and the previous one counts as a filler.
func (b *buffer) jump(to uint32) {
	from, end := min(b.expected, to), max(b.expected, to)
	for seq := max(from, end-min(end, maxWindow)); seq < end; seq++ {
		b.fillers.set(seq, false)
	}
	b.expected = to
}

// follow makes the input after seq the next one, for a player who returns.
func (b *buffer) follow(seq uint32) { b.expected, b.newest = seq+1, seq }

// waiting returns the number of inputs from the expected one up to the newest.
func (b *buffer) waiting() int {
	if !b.any || b.newest < b.expected {
		return 0
	}
	return int(b.newest - b.expected + 1)
}

// receive stores the inputs of a packet. newestPacket reports that no later packet of this client arrived before.
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
		b.jump(newest - uint32(m.Count) + 1)
		b.slack.clear(tick)
	}
	ahead := int64(newest) - int64(b.expected)
	if newestPacket {
		b.behind = 0
	}
	switch {
	case ahead >= int64(b.window):
		b.resync(tick, newest)
		ahead = 0
	case ahead < 0 && newestPacket && b.running:
		b.behind = newest // finishReceive decides: newer packets may follow in the same tick
	case ahead < -int64(b.window):
		b.stats.Rejected += uint64(m.Count)
		return
	}
	b.newest = max(b.newest, newest)
	if b.running && b.behind == 0 {
		b.slack.arrived(tick, int(ahead), int64(b.newest)-int64(newest), m.Shift, newestPacket)
	}
	n := b.table.Words
	from := b.expected
	if b.behind != 0 {
		from = b.behind
	}
	for i := range m.Count {
		seq := newest - uint32(m.Count-1-i)
		words := m.Words[i*n : (i+1)*n]
		if seq < b.expected {
			if b.expected-seq <= b.window && b.fillers.has(seq) {
				b.fillers.set(seq, false)
				b.stats.Late++
				b.supersede(seq, words)
			}
			if seq != b.behind {
				continue
			}
		} else if b.has(seq) {
			continue // the first one wins
		}
		b.put(seq, from, words)
	}
}

// finishReceive is called after all packets of a tick have arrived. If the inputs of the newest packet end before
// the expected input, the client has stalled, and the buffer goes back to the client's position. Packets that a
// link delayed and then delivered in a burst only count as late.
func (b *buffer) finishReceive(tick int64) {
	if b.behind != 0 {
		b.resync(tick, b.behind)
		b.behind = 0
	}
	b.slack.finishTick(tick)
}

// resync restarts at the newest input of a client that stalled or jumped.
func (b *buffer) resync(tick int64, newest uint32) {
	b.stats.Resyncs++
	b.jump(newest)
	b.newest = newest
	b.running = false
	b.slack.tip.any = false
	b.slack.clear(tick)
}

// startDepth is the number of inputs that must wait before the first one is consumed.
const startDepth = 1

// nextBuffered decides a tick under Buffered: a hold, an input or a filler. words is nil for a filler.
func (b *buffer) nextBuffered(tick int64, loss float64) (step bool, words []int32) {
	if !b.running {
		if !b.any || b.newest < b.expected+uint32(startDepth+b.batch-1) {
			if b.stats.Ticks > 0 {
				b.stats.Holds++ // not before the first step
			}
			return false, nil
		}
		b.running = true
		if depth := uint32(startDepth + b.batch - 1); b.newest-b.expected > depth+wire.MaxRedundancy {
			// Inputs that arrived before consumption started would otherwise delay all later ones.
			b.jump(b.newest - depth)
			b.stats.Resyncs++
		}
	}
	need := clock.Reserve(loss) + int32(b.batch-1) + b.slack.burst() - 1
	if b.slack.hasSurplus(b.waiting(), need) {
		b.stats.Resyncs++
		b.jump(b.newest - uint32(need))
		b.slack.clear(tick)
	}
	b.stats.Ticks++
	b.stats.Depth += uint64(b.waiting())
	if b.slack.decide(tick, need) {
		b.stats.Holds++
		return false, nil
	}
	return true, b.consume()
}

// consume returns the expected input, or nil if a filler replaces it.
func (b *buffer) consume() (words []int32) {
	seq := b.expected
	if b.has(seq) {
		b.advance(false)
		b.countConsumed(seq)
		return b.at(seq)
	}
	b.advance(true)
	b.countMissing()
	return nil
}

// advance moves on to the next input. filler reports that a filler replaced the current one.
func (b *buffer) advance(filler bool) {
	b.fillers.set(b.expected, filler)
	b.expected++
}

func (b *buffer) countConsumed(seq uint32) {
	b.fills, b.real, b.late = 0, seq, b.late[:0]
	b.stats.Consumed++
}

// supersede stores a late input that is newer than the held one.
func (b *buffer) supersede(seq uint32, words []int32) {
	if b.superseding && seq > b.real {
		b.real, b.late = seq, append(b.late[:0], words...)
	}
}

// takeSuperseding returns, once, the late input that replaces the held one.
func (b *buffer) takeSuperseding() []int32 {
	words := b.late
	if b.late = b.late[:0]; len(words) > 0 {
		b.fills = 1
	}
	return words
}

func (b *buffer) countMissing() {
	b.fills++
	b.stats.Missing++
}

// isNeutral reports whether the held input was repeated MaxFills times.
func (b *buffer) isNeutral() bool { return b.fills > MaxFills }
