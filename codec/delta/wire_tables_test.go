package delta

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wireDocument is the page that the tests named Wire hold against the code.
const wireDocument = "../../docs/spec/wire-blocks.md"

// wireTables are the contexts of the document: the start of all chances by the name
// of their row, and the names in order.
type wireTables struct {
	start map[string][][2]int
	names map[string][]string // of each table, by the head of its first column
}

// readWireTables reads the tables of contexts in the document.
func readWireTables(t testing.TB) *wireTables {
	t.Helper()
	text, err := os.ReadFile(wireDocument)
	if err != nil {
		t.Fatal(err)
	}
	w := &wireTables{start: map[string][][2]int{}, names: map[string][]string{}}
	head := ""
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) != 3 {
			head = ""
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case cells[1] == "count":
			head = cells[0]
		case head != "" && !strings.HasPrefix(cells[0], "-"):
			w.names[head] = append(w.names[head], cells[0])
			w.start[cells[0]], err = wireStart(cells[1], cells[2])
			if err != nil {
				t.Fatalf("%s: %s: %v", wireDocument, cells[0], err)
			}
		}
	}
	return w
}

// wireStart spells out the start of so many chances. Behind "in class 1:" stands
// what holds there; it is kept behind the others.
func wireStart(count, start string) ([][2]int, error) {
	n := 1
	for s := range strings.SplitSeq(count, "×") {
		k, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		n *= k
	}
	start, place, _ := strings.Cut(start, ", in class 1:")
	var out [][2]int
	for _, item := range append(strings.Split(start, ", "), strings.TrimSpace(place)) {
		if item == "" {
			continue
		}
		if e, ok := strings.CutPrefix(item, "row "); ok {
			if e == "L−2" {
				for i := range n / 20 {
					out = append(out, wireRow(max(0, i%16-2))...)
				}
				continue
			}
			size, err := strconv.Atoi(e)
			if err != nil {
				return nil, err
			}
			rows := 1
			if n%20 == 0 {
				rows = n / 20
			}
			for range rows {
				out = append(out, wireRow(size)...)
			}
			continue
		}
		item, times, many := strings.Cut(item, " ×")
		p, seen, given := strings.Cut(item, "/")
		chance := [2]int{0, 2}
		var err error
		if chance[0], err = strconv.Atoi(p); err != nil {
			return nil, err
		}
		if given {
			if chance[1], err = strconv.Atoi(seen); err != nil {
				return nil, err
			}
		}
		k := 1
		if many {
			if k, err = strconv.Atoi(times); err != nil {
				return nil, err
			}
		}
		if len(out) == 0 && !strings.Contains(start, ",") && !many {
			k = n
		}
		if place != "" && len(out) > 0 {
			k = n
		}
		for range k {
			out = append(out, chance)
		}
	}
	// A field's own contexts end in the last chance: signs and rests.
	want := n
	if place != "" {
		want = 2 * n
	}
	if len(out) != want && n > 0 {
		return nil, fmt.Errorf("%d starts for %d chances", len(out), want)
	}
	return out, nil
}

func wireRow(size int) (row [][2]int) {
	for k := range 20 {
		p := 22937
		if k < size {
			p = 55704
		}
		row = append(row, [2]int{p, 2})
	}
	return row
}

// contexts returns where each named context begins, and all chances but those of
// fields. Contexts of lines are those of the first set of components, those of sets
// of the first class.
func (w *wireTables) contexts() (at map[string]int, chances [][2]int) {
	at = map[string]int{}
	add := func(name string, class int) {
		if _, ok := at[name]; !ok {
			at[name] = len(chances)
		}
		s := w.start[name]
		if name == "LsBent" {
			s = s[:2]
			if class == 1 {
				s = w.start[name][2:]
			}
		}
		chances = append(chances, s...)
	}
	for _, name := range w.names["context"] {
		add(name, 0)
	}
	for kind := range 3 {
		if kind == 1 {
			at["kinds"] = len(chances) // where the second begins
		}
		for _, name := range w.names["context of lines"] {
			add(name, 0)
		}
		for class := range 3 {
			if kind == 0 && class == 1 {
				at["classes"] = len(chances)
			}
			for _, name := range w.names["context of a set"] {
				add(name, class)
			}
		}
	}
	return at, chances
}

// field returns the chances of a field of one of the kinds in the document.
func (w *wireTables) field(kind string) [][2]int {
	for _, name := range w.names["kind of field"] {
		if slices.Contains(strings.Split(name, ", "), kind) {
			return w.start[name]
		}
	}
	return w.start["any other"]
}

// The contexts that the document lists are those of the code, with the same starts.
func TestWireContextsAreTheDocuments(t *testing.T) {
	tables := readWireTables(t)
	_, chances := tables.contexts()
	for _, raw := range []bool{false, true} {
		l := sceneLayout(t)
		if raw {
			l = NewRawLayout(l.tables, 3, 20)
		}
		m := NewModel(l, nil)
		all := chances
		for c := range l.tables {
			for _, f := range wireFieldsOf(l, c) {
				all = append(all[:len(all):len(all)], tables.field(f.kind)...)
			}
		}
		if len(all) != len(m.start) {
			t.Fatalf("%d contexts in the document, %d in the code", len(all), len(m.start))
		}
		for i, c := range all {
			if c[0] != int(m.start[i].P) || c[1] != int(m.start[i].N) {
				t.Fatalf("context %d starts at %d/%d in the document, %v in the code", i, c[0], c[1], m.start[i])
			}
		}
	}

}
