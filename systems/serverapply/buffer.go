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
	turn     turn
	stats    Stats

	// inputs that arrive after a filler was consumed in their place
	superseding bool    // they replace what is held
	real        uint32  // newest that was consumed or took the place of what is held
	late        []int32 // that is about to; empty: none
}

// ring is the inputs that were received and not consumed: as many as were ahead at a time, up to window.
type ring struct {
	table   *schema.Table
	seqs    []uint32 // by sequence modulo its length, a power of two
	words   []int32  // of each
	fillers fillers
}

// leastRing is how many inputs a ring has room for once there is one.
const leastRing = 8

// index is the place of an input, where there is room for any.
func (r *ring) index(seq uint32) int { return int(seq) & (len(r.seqs) - 1) }

// has reports whether an input is there to be consumed.
func (r *ring) has(seq uint32) bool { return len(r.seqs) > 0 && r.seqs[r.index(seq)] == seq }

// at is the words of an input that is there.
func (r *ring) at(seq uint32) []int32 {
	n := r.table.Words
	i := r.index(seq) * n
	return r.words[i : i+n]
}

// put keeps an input. Those from one on are not to go for it, as long as they are within the window.
func (r *ring) put(seq, from uint32, words []int32) {
	for n := len(r.seqs); n < window; n = len(r.seqs) {
		if n > 0 {
			if there := r.seqs[r.index(seq)]; there < from || there == seq {
				break
			}
		}
		old := *r
		r.seqs = make([]uint32, max(2*n, leastRing))
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

// fillers are the inputs, of the window before the expected one, that were consumed as fillers and were not received.
type fillers [window / 64]uint64

func (f *fillers) has(seq uint32) bool { return f[seq/64%(window/64)]&(1<<(seq%64)) != 0 }

// set says whether one of them is a filler.
func (f *fillers) set(seq uint32, filler bool) {
	word := &f[seq/64%(window/64)]
	if *word &^= 1 << (seq % 64); filler {
		*word |= 1 << (seq % 64)
	}
}

func newBuffer(t *schema.Table, tickRate, batch int) *buffer {
	b := &buffer{ring: ring{table: t}, batch: batch, expected: 1}
	b.slack.tickRate = int64(tickRate)
	b.slack.clear(0)
	return b
}

// jump makes an input the expected one, and those between it and the one that was are no fillers.
func (b *buffer) jump(to uint32) {
	from, end := min(b.expected, to), max(b.expected, to)
	for seq := max(from, end-min(end, window)); seq < end; seq++ {
		b.fillers.set(seq, false)
	}
	b.expected = to
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
		b.jump(newest - uint32(m.Count) + 1)
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
	from := b.expected
	if b.behind != 0 {
		from = b.behind
	}
	for i := range m.Count {
		seq := newest - uint32(m.Count-1-i)
		words := m.Words[i*n : (i+1)*n]
		if seq < b.expected {
			if b.expected-seq <= window && b.fillers.has(seq) {
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
	b.jump(newest)
	b.newest = newest
	b.running = false
	b.slack.tip.any = false
	b.slack.clear(tick)
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
			b.jump(b.newest - depth)
			b.stats.Resyncs++
		}
	}
	need := clock.Reserve(loss) + int32(b.batch-1)
	if b.slack.surplus(b.waiting(), need) {
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
	return true, b.next()
}

// next consumes the expected input, or fills in for it: words is nil then.
func (b *buffer) next() (words []int32) {
	seq := b.expected
	if b.has(seq) {
		b.pass(false)
		b.consumed(seq)
		return b.at(seq)
	}
	b.pass(true)
	b.filled()
	return nil
}

// pass goes on to the next input; filler says that the expected one was filled in for.
func (b *buffer) pass(filler bool) {
	b.fillers.set(b.expected, filler)
	b.expected++
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
