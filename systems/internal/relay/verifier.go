package relay

import (
	"encoding/binary"
	"slices"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

const (
	// maxSums is the maximum number of ticks in a message with sums.
	maxSums = 64
	// maxPending is the maximum number of ticks that a replay compares later.
	maxPending = 1024
)

// verifier compares the world of a replay with what was recorded. Recordings of servers have the sums of every tick, and before them
// only the hashes of some.
type verifier struct {
	timeline *timeline.Timeline
	pending  []recordedTick // in the order of their arrival
	found    bool           // a difference
	tick     uint32
	where    string
}

// recordedTick is what a recording says about the world after a tick.
type recordedTick struct {
	tick uint32
	sums []byte // nil: hash counts
	hash uint32 // low half of the hash
}

func (v *verifier) add(r recordedTick) {
	if len(v.pending) < maxPending {
		v.pending = append(v.pending, r)
	}
}

// addHash adds a hash that was recorded.
func (v *verifier) addHash(tick, hash uint32) { v.add(recordedTick{tick: tick, hash: hash}) }

// addSums adds sums that were recorded. It returns false if they are malformed.
func (v *verifier) addSums(b []byte) bool {
	if len(b) < 5 {
		return false
	}
	tick, n, sums := binary.LittleEndian.Uint32(b), int(b[4]), b[5:]
	if n == 0 || n > maxSums || len(sums) == 0 || len(sums)%n != 0 || tick > maxTick {
		return false
	}
	size := len(sums) / n
	for i := range n {
		v.add(recordedTick{tick: tick + uint32(i), sums: slices.Clone(sums[i*size:][:size])})
	}
	return true
}

// compare compares the ticks that are final.
func (v *verifier) compare() {
	t := v.timeline
	v.pending = slices.DeleteFunc(v.pending, func(r recordedTick) bool {
		if v.found || r.tick >= t.Horizon() {
			return v.found
		}
		if r.sums == nil {
			own, ok := t.Hash(r.tick)
			if ok && uint32(own) != r.hash {
				v.found, v.tick, v.where = true, r.tick, "the world"
			}
			return true
		}
		own, ok := t.Sums(r.tick) // not of ticks before the state with which the replay began
		if ok && len(own) != len(r.sums) {
			v.found, v.tick, v.where = true, r.tick, "the protocol"
		}
		for i := range own {
			if ok && !v.found && own[i] != r.sums[i] {
				v.found, v.tick, v.where = true, r.tick, t.SumName(i)
			}
		}
		return true
	})
}

// Diverged returns the first tick after which the world of a replay differs from the recorded one, and the component that differs,
// "entities", or "the world" if the recording does not say more. See ClientConfig.Replay.
func (c *Client) Diverged() (tick uint32, where string, found bool) {
	if c.verifier == nil {
		return 0, "", false
	}
	c.verifier.compare()
	return c.verifier.tick, c.verifier.where, c.verifier.found
}

// sumsWriter writes the sums of the ticks of a recording.
type sumsWriter struct {
	next   uint32 // the first tick whose sums were not written
	buffer []byte
}

// skip leaves out the ticks before those that a segment adds.
func (s *sumsWriter) skip(t *timeline.Timeline) {
	s.next = 0
	if tick, _, ok := checkpoint(t); ok {
		s.next = tick + 1
	}
}

// write writes the sums up to the newest tick whose hash is compared, before that hash.
func (s *sumsWriter) write(t *timeline.Timeline, to Recording) {
	last, _, ok := checkpoint(t)
	if !ok || last < s.next {
		return
	}
	s.next = max(s.next, last+1-min(last+1, maxSums))
	n := 0
	b := append(s.buffer[:0], kindSums, 0, 0, 0, 0, 0)
	for tick := s.next; tick <= last; tick++ {
		sums, ok := t.Sums(tick)
		if !ok {
			b, n = b[:6], 0
			continue
		}
		if n++; n == 1 {
			binary.LittleEndian.PutUint32(b[1:], tick)
		}
		b = append(b, sums...)
	}
	s.next = last + 1
	if b[5] = byte(n); n > 0 {
		to.Reliable(b, false)
	}
	s.buffer = b
}
