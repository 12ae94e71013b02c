package delta

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

var update = flag.Bool("update", false, "write the test vectors to testdata")

// blockVectors are blocks of a layout, for other implementations of the format.
type blockVectors struct {
	// Lines and Words are the field table and the number of words of each
	// component; an empty line is a component without fields.
	Lines []string
	Words []int
	// Steps is the number of simulation steps from one send to the next, Rate
	// the number of sends a second.
	Steps, Rate int
	Blocks      []blockVector
}

// blockVector is one block: the body of Parts in Coder is Hex.
type blockVector struct {
	Name  string
	Coder Coder // 0 raw, 1 zstd, 2 range
	Parts []partVector
	Hex   string
}

// partVector is a part of a block.
type partVector struct {
	Slots      string // in hex, bit i for slot i
	Cur        groupVector
	Base, Next *groupVector `json:",omitempty"` // Next is the second baseline
}

// groupVector is the slots of a group that a part speaks of.
type groupVector struct {
	Send     uint32
	Hidden   string         `json:",omitempty"` // slots, in hex
	Entities []entityVector // the other slots are empty
}

type entityVector struct {
	Slot   int
	ID     uint32
	Mask   uint64
	Record []int32
}

// vectorOf writes down the slots of a group.
func vectorOf(g *Group, slots uint64) *groupVector {
	if g == nil {
		return nil
	}
	v := &groupVector{Send: g.Send, Entities: []entityVector{}}
	if h := g.Hidden & slots; h != 0 {
		v.Hidden = fmt.Sprintf("%x", h)
	}
	for s := g.Alive & slots; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		v.Entities = append(v.Entities, entityVector{k, g.IDs[k], g.Masks[k], g.Record(k)})
	}
	return v
}

// group is the opposite of vectorOf.
func (v *groupVector) group(slots uint64) *Group {
	if v == nil {
		return nil
	}
	g := &Group{Send: v.Send}
	var hidden uint64
	fmt.Sscanf(v.Hidden, "%x", &hidden)
	for s := slots; s != 0; s &= s - 1 {
		g.Clear(bits.TrailingZeros64(s), hidden&s&-s != 0)
	}
	for _, e := range v.Entities {
		copy(g.Put(e.Slot, e.ID, e.Mask, len(e.Record)), e.Record)
	}
	return g
}

// addParts writes down the parts of a block.
func (b *blockVector) addParts(parts []Part) {
	for _, p := range parts {
		q := partVector{Slots: fmt.Sprintf("%x", p.Slots), Cur: *vectorOf(p.Cur, p.Slots), Base: vectorOf(p.Base, p.Slots), Next: vectorOf(p.Base2, p.Slots)}
		b.Parts = append(b.Parts, q)
	}
}

// parts returns the parts of the block.
func (b *blockVector) parts() (parts []Part) {
	for i := range b.Parts {
		q := &b.Parts[i]
		var p Part
		fmt.Sscanf(q.Slots, "%x", &p.Slots)
		p.Cur, p.Base, p.Base2 = q.Cur.group(p.Slots), q.Base.group(p.Slots), q.Next.group(p.Slots)
		parts = append(parts, p)
	}
	return parts
}

// vectorBody returns the body of a block in a certain coder.
func vectorBody(t *testing.T, c Coder, m *Model, parts []Part) []byte {
	if c == Range {
		return new(Encoder).appendRange(nil, m, parts)
	}
	var e Encoder
	body, _ := e.appendSymbols(nil, m, parts)
	if c == Raw {
		return e.symbols.appendRaw(nil)
	}
	block := e.symbols.pack()
	if block == nil {
		t.Fatal("zstd does not make it smaller")
	}
	return append(append(codec.AppendUvarint(body[:0], uint64(len(block))), block...), e.symbols.buf...)
}

// vectorFiles are the files of committed blocks, with functions that make them: for raw and zstd, a layout of scenes with
// every kind of field; for the range coder, the same, attached entities, and lines.
var vectorFiles = map[string]func(t *testing.T) any{
	"testdata/blocks.json": func(t *testing.T) any {
		v := newVectors(sceneLayout(t))
		for _, c := range []struct {
			name             string
			coder            Coder
			groups, age, gap int
			rate             float64
			slots            uint64
		}{
			{"nothing new", Raw, 2, 1, 0, 0, 0xff},
			{"a few slots, without a baseline", Raw, 7, 0, 0, 0.3, 0x35},
			{"some news", Raw, 4, 1, 0, 0.3, 0xff},
			{"two baselines", Raw, 1, 3, 1, 0.5, 0xfff},
			{"lines, three sends later", Raw, 2, 3, 0, 0.4, 0xffff},
			{"much news", Zstd, 1, 2, 1, 1, 1<<64 - 1},
			{"a full state", Zstd, 2, 0, 0, 0.3, 1<<32 - 1},
		} {
			s := newScene(t, uint64(len(v.Blocks)), c.groups, c.rate)
			for range 7 {
				s.step()
			}
			v.add(t, c.name, c.coder, s.layout, s.parts(c.age, c.gap, slotsOf(c.slots)))
		}
		return v
	},
	"testdata/range.json": func(t *testing.T) any {
		s, r, w := newScene(t, 7, 7, 0.3), newRiders(t, 2, 1), newWalkers(t, 3, 2)
		for range 6 {
			s.step()
		}
		for range 12 {
			r.step()
			w.step(4)
		}
		var all []*blockVectors
		for _, c := range []struct {
			film
			slots uint64
		}{{s.film, 0x0b}, {r.film, 0xfff}, {w.film, 0xff}} {
			v := newVectors(c.layout)
			v.add(t, "no baseline", Range, c.layout, c.parts(0, 0, slotsOf(c.slots)))
			v.add(t, "a baseline", Range, c.layout, c.parts(1, 0, slotsOf(c.slots)))
			if c.layout.second {
				v.add(t, "two baselines", Range, c.layout, c.parts(3, 1, slotsOf(c.slots)))
			}
			all = append(all, v)
		}
		return all
	},
}

func newVectors(l *Layout) *blockVectors {
	return &blockVectors{Lines: l.lines(), Words: l.words, Steps: l.steps, Rate: l.rate}
}

func (v *blockVectors) add(t *testing.T, name string, coder Coder, l *Layout, parts []Part) {
	b := blockVector{Name: name, Coder: coder, Hex: hex.EncodeToString(vectorBody(t, coder, NewModel(l, nil), parts))}
	b.addParts(parts)
	v.Blocks = append(v.Blocks, b)
}

// The package and the document's decoder decode the committed blocks to the recorded values, and the encoder produces the same
// blocks.
func TestBlockVectors(t *testing.T) {
	tables := readWireTables(t)
	for name, vectors := range vectorFiles {
		if *update {
			file, err := json.Marshal(vectors(t))
			if err != nil {
				t.Fatal(err)
			}
			// A line for each entity, each block and each layout but the first.
			for _, head := range []string{`{"Slot"`, `{"Name"`, `{"Lines"`} {
				file = bytes.ReplaceAll(file, []byte(head), []byte("\n"+head))
			}
			if err := os.WriteFile(name, append(bytes.TrimSpace(file), '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if file[0] == '{' {
			file = fmt.Appendf(nil, "[%s]", file)
		}
		var all []blockVectors
		if err := json.Unmarshal(file, &all); err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			l, err := parseLayout(v.Lines, v.Words, v.Steps, v.Rate, false)
			if err != nil {
				t.Fatal(err)
			}
			m := NewModel(l, nil)
			for _, b := range v.Blocks {
				parts := b.parts()
				body, err := hex.DecodeString(b.Hex)
				if err != nil {
					t.Fatal(err)
				}
				reads(t, new(Decoder), m, parts, body, b.Coder)
				got := sceneEmpty(parts)
				if err := readWire(tables, body, b.Coder, l, got); err != nil {
					t.Fatalf("%s: by the document: %v", b.Name, err)
				}
				sceneSame(t, parts, got)
				if again := vectorBody(t, b.Coder, m, parts); !bytes.Equal(again, body) {
					t.Errorf("%s: encodes to %x, not %x", b.Name, again, body)
				}
			}
		}
	}
}
