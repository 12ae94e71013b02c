package delta

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/tactusgo/tactus/codec/internal/zstd"
)

// Trainer makes a [Prior] from sample blocks. It is not safe for concurrent use.
type Trainer struct {
	model *Model
	coder blockCoder
	body  []byte   // scratch
	log   []uint32 // context<<1 | bit, in the order of coding; endOfBlock after each block
}

// endOfBlock separates blocks in the log.
const endOfBlock = math.MaxUint32

// maxTrainerLog limits the log of a Trainer to 128 MiB. Further blocks are ignored.
const maxTrainerLog = 32 << 20

// NewTrainer returns a trainer for blocks of a layout.
func NewTrainer(l *Layout) *Trainer { return &Trainer{model: NewModel(l, nil)} }

// Add learns from a block. parts are as in [Encoder.Append].
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

// confidences are the possible values of N of a trained chance.
var confidences = []uint16{0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 28, 39}

// Prior returns the trained prior. The chance of each context is the mean of its bits. Its confidence is the one that would
// have encoded the sample blocks in the fewest bits. Contexts that did not occur keep the built-in chance.
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
	// The cost of each confidence.
	cost := make([][]float64, len(confidences))
	for s, seen := range confidences {
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

// DictionaryTrainer makes a [Dictionary] from sample blocks. It is not safe for concurrent use.
type DictionaryTrainer struct {
	model   *Model
	enc     byteEncoder
	samples [][]byte
	size    int
}

const (
	maxSamples    = 16 << 20 // bytes of samples that a DictionaryTrainer keeps; further blocks are ignored
	leastSample   = 8        // bytes; zstd learns nothing from shorter samples
	sampleHistory = 1 << 10  // bytes of samples in a dictionary that blocks can copy from
)

// NewDictionaryTrainer returns a trainer for blocks of a layout.
func NewDictionaryTrainer(l *Layout) *DictionaryTrainer {
	return &DictionaryTrainer{model: NewModel(l, nil)}
}

// Add learns from a block. parts are as in [Encoder.Append].
func (t *DictionaryTrainer) Add(parts []Part) {
	if t.size > maxSamples {
		return
	}
	b := &t.enc
	b.findResiduals(t.model, parts)
	b.put.reset(true, b.low[:0])
	b.write(t.model, parts)
	b.low = b.put.low.Bytes()
	if n := len(b.put.class); n >= leastSample && n <= maxPlain {
		t.samples = append(t.samples, append([]byte(nil), b.put.class...))
		t.size += n
	}
}

// Dictionary returns the trained dictionary. Its main content is the frequency of each byte, which a small block cannot
// afford to include. Dictionary returns an error if too few blocks were added or zstd finds no common content.
func (t *DictionaryTrainer) Dictionary() (*Dictionary, error) {
	var history []byte
	for i := range t.samples {
		// Take samples from the whole recording, and short ones, which gain most.
		s := t.samples[(i*7919)%len(t.samples)]
		if len(s) <= t.size/len(t.samples) {
			history = append(history, s...)
		}
		if len(history) >= sampleHistory {
			break
		}
	}
	if len(history) < leastSample {
		return nil, fmt.Errorf("delta: dictionary from %d blocks: too few: add more blocks", len(t.samples))
	}
	h := fnv.New32a()
	h.Write(history)
	id := binary.LittleEndian.Uint32(h.Sum(nil)) | 1
	b, err := zstd.BuildDictionary(id, t.samples, history[:min(len(history), sampleHistory)])
	if err != nil {
		return nil, fmt.Errorf("delta: dictionary: %w", err)
	}
	return NewDictionary(b)
}
