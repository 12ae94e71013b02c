package wire

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// modelPlayer encodes input messages like a client, with a session that reports acknowledgements.
type modelPlayer struct {
	table  *schema.Table
	r      *rand.Rand
	Coder  *InputCoder
	Bases  *Bases
	Log    [][]int32 // by sequence; 0 is none
	paces  []int32   // of words that move
	seq    uint16    // of the last packet
	got    int       // inputs that the server has
	epoch  uint8
	every  uint8
	shift  int16
	newest map[uint16]int
	limit  int // inputs in a message, at most
}

func newModelPlayer(t *schema.Table, r *rand.Rand) *modelPlayer {
	return &modelPlayer{
		table: t, r: r, Coder: NewInputCoder(t), Bases: NewInputBases(t.Words), Log: [][]int32{nil},
		paces: make([]int32, t.Words), newest: map[uint16]int{}, limit: MaxRedundancy, seq: uint16(r.IntN(1 << 16)),
	}
}

// Gather creates the next input: a copy of the previous one, in which one word jumps sometimes and other words move.
func (p *modelPlayer) Gather() {
	words := make([]int32, p.table.Words)
	if n := len(p.Log); n > 1 {
		copy(words, p.Log[n-1])
	}
	for k := range words {
		switch p.r.IntN(24) {
		case 0:
			words[k] = int32(p.r.Uint32())
		case 1:
			p.paces[k] = int32(p.r.IntN(600) - 300)
		case 2, 3, 4:
			p.paces[k] = 0
		}
		words[k] += p.paces[k]
	}
	value := make([]uint64, p.table.Size/8+1)
	p.table.Dequantize(unsafe.Pointer(&value[0]), words, p.table.Words, 1)
	p.table.Quantize(words, p.table.Words, unsafe.Pointer(&value[0]), 1)
	p.Log = append(p.Log, words)
}

// send gathers a number of inputs and encodes the newest ones that may not have arrived.
func (p *modelPlayer) send(inputs int) []byte {
	for range inputs {
		p.Gather()
	}
	newest := len(p.Log) - 1
	m := &Input{Epoch: p.epoch, Every: p.every, Shift: p.shift, Newest: uint16(newest)}
	m.Count = min(max(newest-p.got, 1), p.limit)
	for i := newest - m.Count + 1; i <= newest; i++ {
		m.Words = append(m.Words, p.Log[i]...)
	}
	p.seq++
	b := p.Coder.Append(nil, m, p.seq, p.Bases)
	p.Bases.Put(p.seq, m, p.Coder.State)
	p.newest[p.seq] = newest
	return b
}

func (p *modelPlayer) acked(seq uint16) {
	p.Bases.Ack(seq)
	p.got = max(p.got, p.newest[seq])
}

// modelServer decodes the messages.
type modelServer struct {
	Coder  *InputCoder
	Bases  *Bases
	newest uint16 // packet
	any    bool
	unread bool
	read   int
	M      Input
}

// receive decodes a packet and compares it with the sent inputs.
func (s *modelServer) receive(p *modelPlayer, f modelFlight) error {
	newest := !s.any || int16(f.seq-s.newest) > 0
	if newest {
		s.any, s.newest = true, f.seq
	}
	switch err := s.Coder.Read(f.b, &s.M, f.seq, s.Bases); {
	case errors.Is(err, ErrUnread):
		s.unread = s.unread || newest
		return nil
	case err != nil:
		return err
	}
	if newest {
		s.unread = false
	}
	s.read++
	s.Bases.Put(f.seq, &s.M, s.Coder.State)
	last := p.newest[f.seq]
	if s.M.Newest != uint16(last) || s.M.Epoch != f.epoch || s.M.Every != f.every || s.M.Shift != f.shift {
		return fmt.Errorf("input %d, epoch %d, every %d, shift %d; sent %d, %d, %d, %d", s.M.Newest, s.M.Epoch, s.M.Every, s.M.Shift, last, f.epoch, f.every, f.shift)
	}
	n := p.table.Words
	for i := range s.M.Count {
		seq := last - s.M.Count + 1 + i
		for k, v := range s.M.Words[i*n : (i+1)*n] {
			if p.Coder.cut(k, v) != p.Coder.cut(k, p.Log[seq][k]) {
				return fmt.Errorf("word %d of input %d is %#x, not %#x", k, seq, v, p.Log[seq][k])
			}
		}
	}
	return nil
}

// modelFlight is a packet or an answer in flight.
type modelFlight struct {
	due   int
	seq   uint16
	b     []byte
	epoch uint8
	every uint8
	shift int16
	// of an answer
	acks   []uint16
	unread bool
}

// trigger is the smallest input, and stance the next.
type (
	trigger struct {
		Down bool `net:"edge"`
	}
	stance struct{ Down, Up bool }
)

// Whatever a link does to packets and acknowledgements, and whatever a server acknowledges without reading: the server decodes
// exactly the sent inputs, and decodes again as soon as the link recovers.
func TestInputCampaign(t *testing.T) {
	testgame.Seeds(t, 8, func(t *testing.T, seed uint64) {
		for name, table := range map[string]*schema.Table{
			"every": tableFor[every](t), "numbered": tableFor[numbered](t), "none": emptyTable,
			"a bit": tableFor[trigger](t), "two bits": tableFor[stance](t), "a short word": tableFor[push](t),
		} {
			r := rand.New(rand.NewPCG(seed, 9))
			p := newModelPlayer(table, r)
			p.limit = 1 + r.IntN(MaxRedundancy)
			s := &modelServer{Coder: NewInputCoder(table), Bases: NewInputBases(table.Words)}
			loss, twice, delay, jitter := r.Float64()*0.6, r.Float64()*0.4, r.IntN(40), r.IntN(60)
			var up, down []modelFlight
			var told []uint16
			deaf, unread, every, far := 0, false, 3, int(seed%2) // not far: messages of one input each
			for tick := range 1500 {
				if tick == 1200 { // from here on all is well
					loss, twice, delay, jitter, deaf, every = 0, 0, 3*far, far, 0, 2*far+1
				}
				if r.IntN(100) == 0 {
					p.epoch++
				}
				if r.IntN(150) == 0 {
					p.every = uint8(r.Uint32())
				}
				if r.IntN(10) == 0 {
					p.shift += int16(r.IntN(9) - 4)
				}
				if r.IntN(200) == 0 {
					p.seq += uint16(r.IntN(200)) // the session sent something by itself
				}
				if r.IntN(300) == 0 && tick < 1200 {
					deaf = r.IntN(60)
				}
				if deaf--; unread {
					p.Bases.Clear()
				}
				b := p.send(1 + r.IntN(8)/7)
				f := modelFlight{seq: p.seq, b: b, epoch: p.epoch, every: p.every, shift: p.shift}
				for range 1 + int(r.Float64()+twice) {
					if f.due = tick + delay + r.IntN(jitter+1); r.Float64() >= loss {
						up = append(up, f)
					}
				}
				up = slices.DeleteFunc(up, func(f modelFlight) bool {
					if f.due > tick {
						return false
					}
					if slices.Contains(told, f.seq) {
						return true // the session drops duplicates
					}
					if told = append(told, f.seq); deaf > 0 {
						return true
					}
					if err := s.receive(p, f); err != nil {
						t.Fatalf("%s, tick %d, packet %d: %v", name, tick, f.seq, err)
					}
					return true
				})
				told = told[max(len(told)-200, 0):]
				if tick%every == 0 && r.Float64() >= loss {
					down = append(down, modelFlight{due: tick + delay + r.IntN(jitter+1), acks: slices.Clone(told[max(len(told)-33, 0):]), unread: s.unread})
				}
				down = slices.DeleteFunc(down, func(f modelFlight) bool {
					if f.due > tick {
						return false
					}
					unread = f.unread
					for _, seq := range f.acks {
						p.acked(seq)
					}
					return true
				})
				if tick == 1400 {
					s.read = 0
				}
			}
			if s.read < 95 || s.unread {
				t.Errorf("%s: %d of the last 100 messages were read, at a loss: %v", name, s.read, s.unread)
			}
		}
	})
}
