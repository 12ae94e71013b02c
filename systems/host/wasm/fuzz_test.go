package wasm

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/host"
)

// numbers are the values that are passed as lengths, indexes and host numbers.
var numbers = [...]int32{0, 1, 2, 3, -1, 4, 16, 17, 80, 255, 256, 257, 258, 512, 513, maxBuffer, maxBuffer + 1, 1500, 1501, 2048, 4096, 4097, math.MaxInt32, math.MinInt32}

// times are what is passed as one, in milliseconds after the moment; or as they are.
var (
	moments = [...]float64{0, 1, 16, 16.6, -1, -1e-9, 1e-9, 1000, -1000, 20_000, 1e9, -1e9}
	odd     = [...]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e308, -1, 1e15, 999999999999999, 7258118400000, 7258118400001, 1767225600000, 1767225599999}
)

// script is a sequence of a page's calls.
type script struct{ b []byte }

func (s *script) byte() (b byte) {
	if len(s.b) > 0 {
		b, s.b = s.b[0], s.b[1:]
	}
	return b
}

// number returns a number of 32 bits, mostly one of some that matter.
func (s *script) number() int32 {
	k := int(s.byte())
	if k < 2*len(numbers) {
		return numbers[k%len(numbers)]
	}
	var four [4]byte
	s.b = s.b[copy(four[:], s.b):]
	return int32(binary.LittleEndian.Uint32(four[:]))
}

// time returns a time in milliseconds, mostly one near a moment.
func (s *script) time(now time.Time) float64 {
	k := int(s.byte())
	switch {
	case k < 3*len(moments):
		return ms(now) + moments[k%len(moments)]
	case k < 3*len(moments)+len(odd):
		return odd[k-3*len(moments)]
	}
	var eight [8]byte
	s.b = s.b[copy(eight[:], s.b):]
	return math.Float64frombits(binary.LittleEndian.Uint64(eight[:]))
}

// FuzzModule calls the exports in any order between the frames of a match, with any numbers, times and bytes, also for closed
// and unknown hosts. Each returns what the list of exports says. Afterwards a new host can join.
func FuzzModule(f *testing.F) {
	f.Add([]byte{1, 40, 5, 1, 4, 0, 2, 1, 0, 3, 1, 0, 4, 1, 2, 15, 15})
	f.Add([]byte{0, 15, 5, 1, 15, 5, 1, 16, 0, 17, 3, 1, 2, 1, 4, 2, 2, 1, 2, 13})
	f.Add([]byte{9, 1, 9, 1, 10, 1, 2, 1, 0, 3, 1, 0, 6, 1, 7, 1, 8, 1, 15, 15})
	f.Add([]byte{2, 1, 37, 2, 1, 38, 3, 1, 39, 3, 1, 42, 2, 1, 44, 2, 1, 10, 15, 2, 1, 0})
	f.Add([]byte{11, 0, 8, 0, 4, 0, 3, 11, 36, 8, 12, 8, 37, 3, 12, 13, 14, 2, 16, 3, 3, 3, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := newMatch(t)
		m.join(smooth)
		m.join(thin)
		x := &m.module
		for s, frames := (&script{b}), 0; len(s.b) > 0; {
			switch s.byte() % 16 {
			case 0:
				n := s.number()
				if r := x.grow(n); (r == nil) != (n < 0 || n > maxBuffer) || len(r) > 0 && len(r) < int(n) {
					t.Fatalf("a room of %d for %d", len(r), n)
				}
			case 1: // what lies in the room
				n := int(s.byte())
				m.put(s.b[:min(n, len(s.b))]...)
				s.b = s.b[min(n, len(s.b)):]
			case 2:
				if n := x.advance(s.number(), s.time(m.now)); n < -1 {
					t.Fatalf("%d ticks", n)
				}
			case 3:
				if block := x.frame(s.number(), s.time(m.now)); block != nil && int(block[0]) != len(block) {
					t.Fatalf("a block of %d words, which says %d", len(block), block[0])
				}
			case 4:
				x.input(s.number(), s.number())
			case 5:
				x.push(s.number(), s.time(m.now), s.number())
			case 6:
				m.out(s.number())
			case 7:
				x.sent(s.number())
			case 8:
				if r := x.end(s.number()); r < -1 || r > 255 {
					t.Fatalf("a reason %d", r)
				}
			case 9:
				x.close(s.number())
			case 10:
				x.free(s.number())
			case 11:
				n := x.open(s.time(m.now), s.number(), s.number(), s.number(), s.time(m.now), s.number())
				if n < 0 || n > maxHosts || n == 0 && m.text() == "" || (n == 0) != (x.failed != host.Going) {
					t.Fatalf("host %d, failed for %d %q", n, x.failed, m.text())
				}
			case 12:
				x.send(s.number(), s.number(), s.number(), s.number())
			case 13:
				x.ticket(s.number())
				x.hash(s.number())
				x.control(s.number(), s.number(), s.time(m.now))
			case 14:
				if n := x.lines(); n < 100 {
					t.Fatalf("lines of %d bytes", n)
				}
			case 15:
				if frames++; frames < 40 {
					m.frame()
				}
			}
			if x.newest > len(x.memory) || len(x.memory) > maxBuffer {
				t.Fatalf("a text of %d bytes in a room of %d", x.newest, len(x.memory))
			}
		}
		for n := range int32(maxHosts) {
			x.free(n + 1)
		}
		m.join(smooth)
	})
}
