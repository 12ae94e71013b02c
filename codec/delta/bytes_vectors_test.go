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
)

var update = flag.Bool("update", false, "write the test vectors to testdata")

// blockVectors are blocks of a layout, for who implements the format.
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
	Coder Coder // 0 raw, 1 zstd
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

const blockVectorFile = "testdata/blocks.json"

// vectorOf writes down the slots of a group.
func vectorOf(g *Group, slots uint64) groupVector {
	v := groupVector{Send: g.Send, Entities: []entityVector{}}
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

// makeBlockVectors plays scenes.
func makeBlockVectors(t *testing.T) *blockVectors {
	l := sceneLayout(t)
	v := &blockVectors{Lines: l.lines(), Words: l.words, Steps: l.steps, Rate: l.rate}
	m := NewModel(l, nil)
	for _, c := range []struct {
		name        string
		coder       Coder
		groups, age int
		second      bool
		rate        float64
		slots       uint64
	}{
		{"nothing new", Raw, 2, 1, false, 0, 0xff},
		{"a few slots, without a baseline", Raw, 7, 0, false, 0.3, 0x35},
		{"some news", Raw, 4, 1, false, 0.3, 0xff},
		{"two baselines", Raw, 1, 3, true, 0.5, 0xfff},
		{"lines, three sends later", Raw, 2, 3, false, 0.4, 0xffff},
		{"much news", Zstd, 1, 2, true, 1, 1<<64 - 1},
		{"a full state", Zstd, 2, 0, false, 0.3, 1<<32 - 1},
	} {
		s := newScene(t, uint64(len(v.Blocks)), c.groups, c.rate)
		var sends [][]Group
		for range 8 {
			sends = append(sends, s.groups)
			s.step()
		}
		var base, base2 []Group
		if c.age > 0 {
			base = sends[7-c.age]
		}
		if c.second {
			base2 = sends[6-c.age]
		}
		b := blockVector{Name: c.name, Coder: c.coder}
		parts := sceneParts(sends[7], base, base2, func(int) uint64 { return c.slots })
		body := vectorBody(t, c.coder, m, parts)
		b.Hex = hex.EncodeToString(body)
		for _, p := range parts {
			q := partVector{Slots: fmt.Sprintf("%x", c.slots), Cur: vectorOf(p.Cur, c.slots)}
			if p.Base != nil {
				g := vectorOf(p.Base, c.slots)
				q.Base = &g
			}
			if p.Base2 != nil {
				g := vectorOf(p.Base2, c.slots)
				q.Next = &g
			}
			b.Parts = append(b.Parts, q)
		}
		v.Blocks = append(v.Blocks, b)
	}
	return v
}

// vectorBody is the body of a block in a certain coder.
func vectorBody(t *testing.T, c Coder, m *Model, parts []Part) []byte {
	var b byteEncoder
	b.survey(m, parts)
	b.put.reset(c == Zstd, nil)
	b.write(m, parts)
	low := b.put.low.Bytes()
	if c == Raw {
		return low
	}
	block := b.zip.deflate(b.put.class, nil)
	if block == nil {
		t.Fatal("zstd does not make it smaller")
	}
	return appendPacked(nil, block, nil, low)
}

// The committed blocks decode to what is written beside them, and encode to the
// same bytes.
func TestBlockVectors(t *testing.T) {
	if *update {
		file, err := json.Marshal(makeBlockVectors(t))
		if err != nil {
			t.Fatal(err)
		}
		// A line for each entity and each block.
		file = bytes.ReplaceAll(file, []byte(`{"Slot"`), []byte("\n"+`{"Slot"`))
		file = bytes.ReplaceAll(file, []byte(`{"Name"`), []byte("\n"+`{"Name"`))
		if err := os.WriteFile(blockVectorFile, append(file, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(blockVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var v blockVectors
	if err := json.Unmarshal(file, &v); err != nil {
		t.Fatal(err)
	}
	l, err := layoutOf(v.Lines, v.Words, v.Steps, v.Rate, false)
	if err != nil {
		t.Fatal(err)
	}
	m := NewModel(l, nil)
	for _, b := range v.Blocks {
		var parts []Part
		for i := range b.Parts {
			q := &b.Parts[i]
			p := Part{}
			fmt.Sscanf(q.Slots, "%x", &p.Slots)
			p.Cur, p.Base, p.Base2 = q.Cur.group(p.Slots), q.Base.group(p.Slots), q.Next.group(p.Slots)
			parts = append(parts, p)
		}
		body, err := hex.DecodeString(b.Hex)
		if err != nil {
			t.Fatal(err)
		}
		got := sceneEmpty(parts)
		if err := new(Decoder).Decode(body, b.Coder, m, got); err != nil {
			t.Errorf("%s: %v", b.Name, err)
			continue
		}
		sceneSame(t, parts, got)
		if again := vectorBody(t, b.Coder, m, parts); !bytes.Equal(again, body) {
			t.Errorf("%s: encodes to %x, not %x", b.Name, again, body)
		}
	}
}
