package channel

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// A typed message is the number of its type as a varint, followed by the words of its fields. Each word has the minimal
// number of bits for its values, low bits first. The last byte is padded with zero bits. Texts and lists are sent with
// their length and without unused elements; a value with a line is sent as its position.
//
// The words are the quantized form of package schema, not its raw form. The declared ranges make the words short, and the
// receiver need not check ranges, because the bits cannot express other values. Tag a field raw to send it exactly. The raw
// form has a constant length: a short chat line would be sent with a hundred zeros.

// step is one field of a type.
type step struct {
	word   int
	words  int
	bits   []uint8 // of each word
	values int64   // number of values of a single word; 0 if its bits have no invalid value
	text   bool    // the first word is the length in bytes
	list   int     // the word with the length of the field's list, or −1
	index  int32   // index in the list
}

// newPlan derives the steps from a table.
func newPlan(t *schema.Table) []step {
	type list struct {
		path string
		word int
	}
	var lists []list
	var plan []step
	for i := range t.Fields {
		f := &t.Fields[i]
		s := step{word: f.Word, words: f.Words, text: f.Form == schema.FormText, list: -1}
		if f.Lines > 0 {
			s.words = 1
		}
		for w := range s.words {
			s.bits = append(s.bits, uint8(t.WordBits(f.Word+w)))
		}
		switch f.Form {
		case schema.FormGrid, schema.FormEnum, schema.FormCount:
			s.values = f.Values()
		case schema.FormText:
			s.values = int64(f.Len) + 1
		}
		// The innermost list is the one with the longest path that is a prefix of this path. Its own length is zero if it
		// lies after the end of an outer list.
		longest := 0
		for _, l := range lists {
			if rest, in := strings.CutPrefix(f.Path, l.path+"["); in && len(l.path) >= longest {
				number, _, _ := strings.Cut(rest, "]")
				if n, err := strconv.ParseInt(number, 10, 32); err == nil {
					longest, s.list, s.index = len(l.path), l.word, int32(n)
				}
			}
		}
		if f.Form == schema.FormCount {
			lists = append(lists, list{f.Path, f.Word})
		}
		plan = append(plan, s)
	}
	return plan
}

// count returns the number of words of a step, given the words before it: none after the end of a list.
func (s *step) count(words []int32) int {
	if s.list >= 0 && s.index >= words[s.list] {
		return 0
	}
	return s.words
}

// textWords returns the number of words of a text.
func textWords(bytes int32) int { return int(bytes+3) / 4 }

// width returns the number of bits of word j. The last word of a text has only the bits of its bytes.
func (s *step) width(words []int32, j int) uint {
	if s.text && j > 0 {
		return uint(min(32, 8*(int(words[s.word])-4*(j-1))))
	}
	return uint(s.bits[j])
}

// fewWords is a number of words that is cheap to clear and sufficient for most types.
const fewWords = 64

func (k *kindOf) append(dst []byte, p unsafe.Pointer) []byte {
	if k.table.Words <= fewWords {
		var words [fewWords]int32
		return k.write(dst, p, words[:])
	}
	var words [schema.MaxWords]int32
	return k.write(dst, p, words[:])
}

func (k *kindOf) write(dst []byte, p unsafe.Pointer, words []int32) []byte {
	k.table.Quantize(words, k.table.Words, p, 1)
	var w codec.Writer
	w.Reset(codec.AppendUvarint(dst, uint64(k.number)))
	for i := range k.plan {
		s := &k.plan[i]
		n := s.count(words)
		if s.text && n > 0 {
			n = 1 + textWords(words[s.word])
		}
		for j := range n {
			w.Bits(uint64(uint32(words[s.word+j])), s.width(words, j))
		}
	}
	return w.Bytes()
}

func (k *kindOf) read(b []byte, p unsafe.Pointer) error {
	if k.table.Words <= fewWords {
		var words [fewWords]int32
		return k.parse(b, p, words[:])
	}
	var words [schema.MaxWords]int32
	return k.parse(b, p, words[:])
}

// parse requires that words are zero.
func (k *kindOf) parse(b []byte, p unsafe.Pointer, words []int32) error {
	var r codec.Reader
	r.Reset(b)
	for i := range k.plan {
		s := &k.plan[i]
		n := s.count(words)
		for j := 0; j < n; j++ {
			v := r.Bits(s.width(words, j))
			if j == 0 && s.values > 0 && v >= uint64(s.values) {
				return codec.ErrMalformed
			}
			words[s.word+j] = int32(uint32(v))
			if j == 0 && s.text {
				n = 1 + textWords(words[s.word])
			}
		}
	}
	r.Align()
	if err := r.Err(); err != nil {
		return err
	}
	if r.Remaining() > 0 {
		return codec.ErrMalformed
	}
	k.table.Dequantize(p, words, k.table.Words, 1)
	return nil
}
