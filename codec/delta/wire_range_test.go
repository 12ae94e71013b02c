package delta

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

const rangeVectorFile = "testdata/range.json"

// makeRangeVectors plays a scene of every kind of field, one of entities attached to
// others, and one of lines.
func makeRangeVectors(t *testing.T) (all []*blockVectors) {
	s := newScene(t, 7, 7, 0.3)
	sends := [][]Group{s.groups}
	for range 6 {
		s.step()
		sends = append(sends, s.groups)
	}
	r := newRiders(t, 2, 1)
	for range 12 {
		r.step()
	}
	w := newWalkers(t, 3, 2)
	for range 12 {
		w.step(4)
	}
	for _, v := range []struct {
		layout *Layout
		sends  [][]Group
		slots  uint64
	}{{s.layout, sends, 0x0b}, {r.layout, r.sends, 0xfff}, {w.layout, w.sends, 0xff}} {
		l := v.layout
		vectors := &blockVectors{Lines: l.lines(), Words: l.words, Steps: l.steps, Rate: l.rate}
		for _, c := range []struct {
			name   string
			age    int
			second bool
		}{{"no baseline", 0, false}, {"a baseline", 1, false}, {"two baselines", 3, true}} {
			if c.second && !l.second {
				continue
			}
			b := blockVector{Name: c.name, Coder: Range}
			parts := wireParts(v.sends, c.age, c.second, func(int) uint64 { return v.slots })
			b.Hex = hex.EncodeToString(new(Encoder).appendRange(nil, NewModel(l, nil), parts))
			b.addParts(parts)
			vectors.Blocks = append(vectors.Blocks, b)
		}
		all = append(all, vectors)
	}
	return all
}

// addParts writes down the parts of a block.
func (b *blockVector) addParts(parts []Part) {
	for _, p := range parts {
		q := partVector{Slots: fmt.Sprintf("%x", p.Slots), Cur: vectorOf(p.Cur, p.Slots)}
		if p.Base != nil {
			g := vectorOf(p.Base, p.Slots)
			q.Base = &g
		}
		if p.Base2 != nil {
			g := vectorOf(p.Base2, p.Slots)
			q.Next = &g
		}
		b.Parts = append(b.Parts, q)
	}
}

// parts are those of a block.
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

// The committed bodies of the range coder are read by the package and by the decoder
// of the document as what is written beside them, and are what the encoder writes.
func TestWireRangeVectors(t *testing.T) {
	if *update {
		file, err := json.Marshal(makeRangeVectors(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range []string{`{"Slot"`, `{"Name"`, `{"Lines"`} {
			file = bytes.ReplaceAll(file, []byte(head), []byte("\n"+head))
		}
		if err := os.WriteFile(rangeVectorFile, append(file, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(rangeVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []blockVectors
	if err := json.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	tables := readWireTables(t)
	for _, v := range all {
		l, err := layoutOf(v.Lines, v.Words, v.Steps, v.Rate, false)
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
			got := sceneEmpty(parts)
			if err := new(Decoder).Decode(body, Range, m, got); err != nil {
				t.Fatalf("%s: %v", b.Name, err)
			}
			sceneSame(t, parts, got)
			got = sceneEmpty(parts)
			if err := decodeWire(tables, body, l, got); err != nil {
				t.Fatalf("%s: by the document: %v", b.Name, err)
			}
			sceneSame(t, parts, got)
			if again := new(Encoder).appendRange(nil, m, parts); !bytes.Equal(again, body) {
				t.Errorf("%s: encodes to %x, not %x", b.Name, again, body)
			}
		}
	}
}
