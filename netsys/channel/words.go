package channel

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// A typed message is the number of its type as a varint, then the words of its fields in order, each in as many
// bits as tell its values apart, low bits first; zero bits up to the end of the last byte. Of a text and of a
// list only what there is travels, behind its length; of a value with a line only its place.
//
// These are the quantized words of package schema and not its raw form: the ranges that a type declares for its
// fields are then few bits, and the receiver need not check them again, because bits that tell a value from all
// others cannot say anything else. Who needs a value exactly tags it raw. The raw form has one length whatever
// lists and texts hold, and a chat line of two words would travel with a hundred zeros.

// step is one field of a type.
type step struct {
	word   int
	words  int
	bits   []uint8 // of each word
	values int64   // how many values a single word has; 0 when all that its bits can say
	text   bool    // only as many bytes as the first word says
	list   int     // the word of the count of the list that the field is in, or −1
	index  int32   // which element of it
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
		// The innermost list is the longest path that this one goes on from. Its own count is zero when
		// it lies behind the end of a list around it.
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

// count is how many words of a step there are, given the words before: none behind the end of a list.
func (s *step) count(words []int32) int {
	if s.list >= 0 && s.index >= words[s.list] {
		return 0
	}
	return s.words
}

// textWords is how many words a text of so many bytes takes.
func textWords(bytes int32) int { return int(bytes+3) / 4 }

// width is how many bits of word j travel: of the last word of a text, its bytes.
func (s *step) width(words []int32, j int) uint {
	if s.text && j > 0 {
		return uint(min(32, 8*(int(words[s.word])-4*(j-1))))
	}
	return uint(s.bits[j])
}

// fewWords are words that cost nothing to clear, which most types make do with.
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

// parse needs words that are zero.
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
