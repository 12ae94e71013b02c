package delta

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

// sceneRecording records a scene and returns it with the groups of its sends.
func sceneRecording(t testing.TB, seed uint64, sends int) ([]byte, *scene, [][]Group) {
	t.Helper()
	var out bytes.Buffer
	s := newScene(t, seed, 3, 0.3)
	r := NewRecorder(&out, s.layout)
	var all [][]Group
	for i := range sends {
		groups := s.now()[:min(1+i/4, len(s.now()))]
		if err := r.Record(groups); err != nil {
			t.Fatal(err)
		}
		all = append(all, groups)
		s.step()
	}
	return out.Bytes(), s, all
}

func TestRecording(t *testing.T) {
	file, s, sends := sceneRecording(t, 1, 20)
	r, err := NewRecording(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	l := r.Layout()
	if l.hash() != s.layout.hash() || l.Components() != s.layout.Components() || l.steps != 3 || l.rate != 20 {
		t.Fatalf("layout of %d components, %d steps, %d a second", l.Components(), l.steps, l.rate)
	}
	for c := range l.Components() {
		if l.Words(c) != s.layout.Words(c) {
			t.Errorf("component %d: %d words, want %d", c, l.Words(c), s.layout.Words(c))
		}
	}
	if a, b := NewModel(l, nil).size(), NewModel(s.layout, nil).size(); a != b {
		t.Errorf("model of %d contexts, want %d", a, b)
	}
	var groups []Group
	for i, want := range sends {
		if groups, err = r.Next(groups); err != nil {
			t.Fatal(err)
		}
		if len(groups) != len(want) || groups[0].Send != uint32(i+1) {
			t.Fatalf("%d groups of send %d, want %d of %d", len(groups), groups[0].Send, len(want), i+1)
		}
		of := func(groups []Group) []Part { return (&film{sends: [][]Group{groups}}).parts(0, 0, nil) }
		sceneSame(t, of(want), of(groups))
	}
	if _, err = r.Next(groups); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestRecordingRefuses(t *testing.T) {
	file, _, _ := sceneRecording(t, 2, 2)
	read := func(file []byte) error {
		r, err := NewRecording(bytes.NewReader(file))
		for err == nil {
			_, err = r.Next(nil)
		}
		return err
	}
	if err := read(file); err != io.EOF {
		t.Fatal(err)
	}
	ends := 0
	for n := range file {
		switch err := read(file[:n]); {
		case err == io.EOF:
			ends++ // between two sends
		case !errors.Is(err, codec.ErrShort) && !errors.Is(err, codec.ErrMalformed):
			t.Errorf("%d of %d bytes: %v", n, len(file), err)
		}
	}
	if ends != 2 {
		t.Errorf("%d places to end at", ends)
	}
	for name, bad := range map[string][]byte{
		"magic":   append([]byte("x"), file[1:]...),
		"version": append([]byte(recordingMagic+"\x09"), file[9:]...),
		"steps":   slices.Concat(file[:9], []byte{0}, file[10:]),
		"rate":    slices.Concat(file[:10], []byte{0}, file[11:]),
	} {
		if err := read(bad); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTablesOfLines(t *testing.T) {
	for _, line := range []string{
		"", "Position", "Position{X}", "P{X float32}", "P{X string raw}", "P{X [0]uint8 text}", "P{X [9999999]uint8 text}",
		"P{X float32 -1..1 step 1} more", "P{N uint8 count x}", "P{X [ float32 raw}",
	} {
		if tb, err := parseTable(line); err == nil {
			t.Errorf("%q: %v", line, tb.Line())
		}
	}
	for _, line := range []string{"Empty{}", "Bag{N uint8 count 3; Bag[0].Item uint16 0..100; Bag[1].Item uint16 0..100}"} {
		if _, err := parseTable(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// A trained model is read back from its file unchanged, and fits only its own layout.
func TestTrained(t *testing.T) {
	p, s := anyPrior(t, 4)
	learned := NewTrained(s.layout, p)
	file := learned.Append(nil)
	got, err := ParseTrained(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != learned.Hash() || got.Hash() == 0 || !bytes.Equal(got.Append(nil), file) {
		t.Errorf("hash %x, want %x", got.Hash(), learned.Hash())
	}
	if m := got.Model(s.layout); !got.Fits(s.layout) || slices.Equal(m.start, NewModel(s.layout, nil).start) {
		t.Error("it does not fit its own layout")
	}
	other := NewLayout(s.layout.tables[:2], 3, 20)
	var none *Trained
	if got.Fits(other) || !slices.Equal(got.Model(other).start, NewModel(other, nil).start) || none.Hash() != 0 || none.Fits(other) || none.Model(other) == nil {
		t.Error("another layout, or nothing learned, gets something")
	}
	for n := range file {
		if _, err := ParseTrained(file[:n]); !errors.Is(err, codec.ErrShort) && !errors.Is(err, codec.ErrMalformed) {
			t.Fatalf("%d of %d bytes: %v", n, len(file), err)
		}
	}
	for _, i := range []int{0, 8, 9, 30, len(file) / 2, len(file) - 1} {
		bad := bytes.Clone(file)
		bad[i]++
		if _, err := ParseTrained(bad); err == nil {
			t.Errorf("byte %d changed: accepted", i)
		}
	}
}
