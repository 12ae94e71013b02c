package delta

import (
	"math"

	"github.com/tactusgo/tactus/codec/internal/rangecoder"
)

// Trainer makes a [Prior] from sample blocks. It is not safe for concurrent use.
type Trainer struct {
	model *Model
	coder blockCoder
	tally rangecoder.Tally // its log has endOfBlock after each block
}

// endOfBlock separates blocks in the log.
const endOfBlock = math.MaxUint32

// maxTrainerLog limits the log of a Trainer to 128 MiB. Further blocks are ignored.
const maxTrainerLog = 32 << 20

// NewTrainer returns a trainer for blocks of a layout.
func NewTrainer(l *Layout) *Trainer { return &Trainer{model: NewModel(l, nil)} }

// Add learns from a block. parts are as in [Encoder.Append].
func (t *Trainer) Add(parts []Part) {
	if len(t.tally.Log) > maxTrainerLog {
		return
	}
	c := &t.coder
	c.tally = &t.tally
	c.Divert(c.tally, false)
	_ = c.code(t.model, parts)
	t.tally.Log = append(t.tally.Log, endOfBlock)
}

// confidences are the possible values of N of a trained chance.
var confidences = []uint16{0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 28, 39}

// Prior returns the trained prior. The chance of each context is the mean of its bits. Its confidence is the one that would
// have encoded the sample blocks in the fewest bits. Contexts that did not occur keep the built-in chance.
func (t *Trainer) Prior() *Prior {
	n := len(t.model.start)
	p := &Prior{layout: t.model.layout.hash(), start: append([]chance(nil), t.model.start...)}
	var count [2][]float64
	count[0], count[1] = make([]float64, n), make([]float64, n)
	for _, e := range t.tally.Log {
		if e != endOfBlock {
			count[e&1][e>>1]++
		}
	}
	for i := range p.start {
		if all := count[0][i] + count[1][i]; all > 0 {
			built := float64(t.model.start[i].P) / 65536
			mean := (count[1][i] + built) / (all + 1)
			p.start[i].P = uint16(min(max(mean*65536, 32), 65536-32))
		}
	}
	// The cost of each confidence.
	cost := make([][]float64, len(confidences))
	for s, seen := range confidences {
		cost[s] = make([]float64, n)
		for i := range p.start {
			p.start[i].N = seen
		}
		now := append([]chance(nil), p.start...)
		var met []uint32
		for _, e := range t.tally.Log {
			if e == endOfBlock {
				for _, i := range met {
					now[i] = p.start[i]
				}
				met = met[:0]
				continue
			}
			i := e >> 1
			c := &now[i]
			if *c == p.start[i] {
				met = append(met, i)
			}
			if e&1 != 0 {
				cost[s][i] += bitsOf(c.P)
				c.One()
			} else {
				cost[s][i] += bitsOf(-c.P)
				c.Zero()
			}
		}
	}
	for i := range p.start {
		best := 2
		for s := range confidences {
			if cost[s][i] < cost[best][i] {
				best = s
			}
		}
		p.start[i].N = confidences[best]
	}
	p.setHash()
	return p
}

// bitsOf returns the information in bits of an event with the chance p/65,536.
func bitsOf(p uint16) float64 { return bitTable[p>>4] }

var bitTable = func() (t [4096]float64) {
	for i := range t {
		t[i] = -math.Log2((float64(i) + 0.5) / 4096)
	}
	return t
}()
