package delta

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/tactusgo/tactus/codec/internal/zstd"
)

// Trainer makes a [Prior] from blocks like those that will be coded. It is not for
// concurrent use.
type Trainer struct {
	model *Model
	coder blockCoder
	body  []byte   // scratch
	log   []uint32 // context<<1 | bit, in the order of coding; endOfBlock after each block
}

// endOfBlock stands in the log between blocks.
const endOfBlock = math.MaxUint32

// maxTrainerLog bounds what a Trainer keeps: 128 MiB. Blocks added later are
// left out.
const maxTrainerLog = 32 << 20

// NewTrainer returns a trainer for blocks of a layout.
func NewTrainer(l *Layout) *Trainer { return &Trainer{model: NewModel(l, nil)} }

// Add learns from a block: parts as [Encoder.Append] takes them.
func (t *Trainer) Add(parts []Part) {
	if len(t.log) > maxTrainerLog {
		return
	}
	c := &t.coder
	c.Write(t.body)
	c.Tally = &t.log
	_ = c.code(t.model, parts)
	t.body = c.Finish()[:0]
	t.log = append(t.log, endOfBlock)
}

// seens are the confidences that a trained chance may start with.
var seens = []uint16{0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 28, 39}

// Prior returns what was learned: for each context the mean of its bits, and the
// confidence in it with which those blocks would have been coded in the fewest
// bits. Contexts that were not met keep what is built in.
func (t *Trainer) Prior() *Prior {
	n := len(t.model.start)
	p := &Prior{layout: t.model.layout.hash(), start: append([]chance(nil), t.model.start...)}
	var count [2][]float64
	count[0], count[1] = make([]float64, n), make([]float64, n)
	for _, e := range t.log {
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
	// What each confidence would have cost.
	cost := make([][]float64, len(seens))
	for s, seen := range seens {
		cost[s] = make([]float64, n)
		for i := range p.start {
			p.start[i].N = seen
		}
		now := append([]chance(nil), p.start...)
		var met []uint32
		for _, e := range t.log {
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
		for s := range seens {
			if cost[s][i] < cost[best][i] {
				best = s
			}
		}
		p.start[i].N = seens[best]
	}
	p.seal()
	return p
}

// bitsOf is the information in something of chance p/65,536, in bits.
func bitsOf(p uint16) float64 { return bitTable[p>>4] }

var bitTable = func() (t [4096]float64) {
	for i := range t {
		t[i] = -math.Log2((float64(i) + 0.5) / 4096)
	}
	return t
}()

// DictionaryTrainer makes a [Dictionary] from blocks like those that will be
// coded. It is not for concurrent use.
type DictionaryTrainer struct {
	model   *Model
	enc     byteEncoder
	samples [][]byte
	size    int
}

const (
	maxSamples    = 16 << 20 // bytes of samples that a DictionaryTrainer keeps; blocks added later are left out
	leastSample   = 8        // bytes; zstd learns nothing from less
	sampleHistory = 1 << 10  // bytes of samples that a dictionary holds to copy from
)

// NewDictionaryTrainer returns a trainer for blocks of a layout.
func NewDictionaryTrainer(l *Layout) *DictionaryTrainer {
	return &DictionaryTrainer{model: NewModel(l, nil)}
}

// Add learns from a block: parts as [Encoder.Append] takes them.
func (t *DictionaryTrainer) Add(parts []Part) {
	if t.size > maxSamples {
		return
	}
	b := &t.enc
	b.survey(t.model, parts)
	b.put.reset(true, b.low[:0])
	b.write(t.model, parts)
	b.low = b.put.low.Bytes()
	if n := len(b.put.class); n >= leastSample && n <= maxPlain {
		t.samples = append(t.samples, append([]byte(nil), b.put.class...))
		t.size += n
	}
}

// Dictionary returns what was learned: above all how often each byte is met, which
// a small block has no room to say. It returns an error when too few blocks were
// added, or none that zstd finds anything in.
func (t *DictionaryTrainer) Dictionary() (*Dictionary, error) {
	var history []byte
	for i := range t.samples {
		// From all over the samples, the smallest ones: they need it most.
		s := t.samples[(i*7919)%len(t.samples)]
		if len(s) <= t.size/len(t.samples) {
			history = append(history, s...)
		}
		if len(history) >= sampleHistory {
			break
		}
	}
	if len(history) < leastSample {
		return nil, fmt.Errorf("snapshot: dictionary from %d blocks: too few", len(t.samples))
	}
	h := fnv.New32a()
	h.Write(history)
	id := binary.LittleEndian.Uint32(h.Sum(nil)) | 1
	b, err := zstd.BuildDictionary(id, t.samples, history[:min(len(history), sampleHistory)])
	if err != nil {
		return nil, fmt.Errorf("snapshot: dictionary: %w", err)
	}
	return NewDictionary(b)
}
