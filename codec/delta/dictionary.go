package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec"
)

// ErrDictionary is returned by [Decoder.Decode] for a block that was compressed
// with another dictionary than the [Model] has. It wraps [codec.ErrMalformed].
var ErrDictionary = fmt.Errorf("%w: compressed with another dictionary", codec.ErrMalformed)

// MaxDictionary is the largest size of a [Dictionary] in bytes.
const MaxDictionary = 64 << 10

// Dictionary is what zstd expects of the blocks of a game: it makes small ones
// smaller. Both sides must have the same one. It does not change and may be
// shared.
type Dictionary struct {
	zstd []byte
	id   byte
	hash uint64
}

const (
	dictionaryMagic = "\x37\xa4\x30\xec"
	dictionaryHead  = len(dictionaryMagic) + 4
)

// NewDictionary returns the dictionary in b, in the format of zstd dictionaries.
// The id in it is replaced by one of 1 to 255 that follows from its hash.
//
// Errors: [codec.ErrMalformed] for what is no dictionary, [codec.ErrTooLarge]
// above [MaxDictionary].
func NewDictionary(b []byte) (*Dictionary, error) {
	switch {
	case len(b) > MaxDictionary:
		return nil, fmt.Errorf("%w: dictionary of %d bytes, at most %d", codec.ErrTooLarge, len(b), MaxDictionary)
	case len(b) < dictionaryHead || string(b[:len(dictionaryMagic)]) != dictionaryMagic:
		return nil, fmt.Errorf("%w: no zstd dictionary", codec.ErrMalformed)
	}
	d := &Dictionary{zstd: bytes.Clone(b)}
	h := fnv.New64a()
	h.Write(b[dictionaryHead:])
	d.hash = h.Sum64()
	d.id = byte(d.hash%255) + 1
	binary.LittleEndian.PutUint32(d.zstd[len(dictionaryMagic):], uint32(d.id))
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("%w: dictionary: %v", codec.ErrMalformed, err)
	}
	return d, nil
}

// check reports whether zstd takes the dictionary, in both directions.
func (d *Dictionary) check() error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDict(d.zstd), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer enc.Close()
	dec, err := zstd.NewReader(nil, zstd.WithDecoderDicts(d.zstd), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	dec.Close()
	return nil
}

// Bytes returns the dictionary in the format of zstd. They are to be read only.
func (d *Dictionary) Bytes() []byte { return d.zstd }

// Hash tells dictionaries apart: 64-bit FNV-1a of what follows the id. Peers
// compare it before either uses the dictionary.
func (d *Dictionary) Hash() uint64 { return d.hash }

// WithDictionary returns the same model with a dictionary, nil for none.
func (m *Model) WithDictionary(d *Dictionary) *Model {
	with := *m
	with.dictionary = d
	return &with
}

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
