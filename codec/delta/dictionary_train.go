package delta

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/klauspost/compress/zstd"
)

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
	b, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID:       binary.LittleEndian.Uint32(h.Sum(nil)) | 1,
		Contents: t.samples,
		History:  history[:min(len(history), sampleHistory)],
		Offsets:  [3]int{1, 4, 8},
		Level:    zstd.SpeedFastest,
	})
	if err != nil {
		return nil, fmt.Errorf("snapshot: dictionary: %w", err)
	}
	return NewDictionary(b)
}
