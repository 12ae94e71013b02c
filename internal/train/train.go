package train

import (
	"math"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/rangecoder"
)

type chance = rangecoder.Chance

// Trainer makes a [delta.Prior] from sample blocks. It is not safe for concurrent use.
type Trainer struct {
	layout *delta.Layout
	model  *delta.Model
	coder  delta.Encoder
	now    []chance // of the block that is coded
	tally  tally    // its log has endOfBlock after each block
}

// endOfBlock separates blocks in the log.
const endOfBlock = math.MaxUint32

// maxTrainerLog limits the log of a Trainer to 128 MiB. Further blocks are ignored.
const maxTrainerLog = 32 << 20

// NewTrainer returns a trainer for blocks of a layout.
func NewTrainer(l *delta.Layout) *Trainer {
	m := delta.NewModel(l, nil)
	now := m.Chances()
	return &Trainer{layout: l, model: m, now: now, tally: tally{first: &now[0]}}
}

// Add learns from a block. parts are as in [delta.Encoder.Append].
func (t *Trainer) Add(parts []delta.Part) {
	if len(t.tally.log) > maxTrainerLog {
		return
	}
	t.coder.Trace(t.model, parts, t.now, &t.tally)
	t.tally.log = append(t.tally.log, endOfBlock)
}

// confidences are the possible values of N of a trained chance.
var confidences = []uint16{0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 28, 39}

// Prior returns the trained prior. The chance of each context is the mean of its bits. Its confidence is the one that would
// have encoded the sample blocks in the fewest bits. Contexts that did not occur keep the built-in chance.
func (t *Trainer) Prior() *delta.Prior {
	start := t.model.Chances()
	n := len(start)
	var count [2][]float64
	count[0], count[1] = make([]float64, n), make([]float64, n)
	for _, e := range t.tally.log {
		if e != endOfBlock {
			count[e&1][e>>1]++
		}
	}
	for i := range start {
		if all := count[0][i] + count[1][i]; all > 0 {
			built := float64(start[i].P) / 65536
			mean := (count[1][i] + built) / (all + 1)
			start[i].P = uint16(min(max(mean*65536, 32), 65536-32))
		}
	}
	// The cost of each confidence.
	cost := make([][]float64, len(confidences))
	for s, seen := range confidences {
		cost[s] = make([]float64, n)
		for i := range start {
			start[i].N = seen
		}
		now := slices.Clone(start)
		var met []uint32
		for _, e := range t.tally.log {
			if e == endOfBlock {
				for _, i := range met {
					now[i] = start[i]
				}
				met = met[:0]
				continue
			}
			i := e >> 1
			c := &now[i]
			if *c == start[i] {
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
	for i := range start {
		best := 2
		for s := range confidences {
			if cost[s][i] < cost[best][i] {
				best = s
			}
		}
		start[i].N = confidences[best]
	}
	return delta.NewPrior(t.layout, start)
}

// bitsOf returns the information in bits of an event with the chance p/65,536.
func bitsOf(p uint16) float64 { return bitTable[p>>4] }

var bitTable = func() (t [4096]float64) {
	for i := range t {
		t[i] = -math.Log2((float64(i) + 0.5) / 4096)
	}
	return t
}()
