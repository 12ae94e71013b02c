package delta

import (
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/race"
)

func allSlots(int) uint64 { return ^uint64(0) }

// Every scene comes out of both coders as it went in.
func TestBytesAreExact(t *testing.T) {
	var enc byteEncoder
	var dec byteDecoder
	used := map[Coder]int{}
	eachScene(t, func(where string, m *Model, parts []Part) {
		body, coder := enc.append([]byte("head"), m, parts)
		used[coder]++
		got := sceneEmpty(parts)
		if err := dec.decode(body[4:], coder, m, got); err != nil {
			t.Fatalf("%s, coder %d: %v", where, coder, err)
		}
		sceneSame(t, parts, got)
	})
	if used[Raw] == 0 || used[Zstd] == 0 {
		t.Errorf("coders used: %v", used)
	}
}

// Nothing changed: a world costs two bytes.
func TestBytesOfAWorldAtRest(t *testing.T) {
	s := newScene(t, 1, 15, 0)
	m := NewModel(s.layout, nil)
	now := make([]Group, len(s.groups))
	for i := range now {
		now[i] = s.groups[i]
		now[i].Send++
	}
	for i := range now {
		for k := range GroupSize {
			if now[i].Alive>>k&1 != 0 && now[i].Masks[k]>>3&1 != 0 {
				now[i].Clear(k, false)
				s.groups[i].Clear(k, false)
			}
		}
	}
	body, _ := new(byteEncoder).append(nil, m, sceneParts(now, s.groups, nil, allSlots))
	if len(body) > 2 {
		t.Errorf("%d bytes", len(body))
	}
}

func TestBytesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("zstd's pools drop buffers at random under the race detector")
	}
	s := newScene(t, 3, 10, 0.3)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	for name, parts := range map[string][]Part{
		"delta": sceneParts(s.groups, base, nil, allSlots),
		"full":  sceneParts(s.groups, nil, nil, allSlots),
	} {
		var enc byteEncoder
		var dec byteDecoder
		got := sceneEmpty(parts)
		body := make([]byte, 0, 1<<16)
		if n := testing.AllocsPerRun(50, func() {
			var coder Coder
			body, coder = enc.append(body[:0], m, parts)
			for i := range got {
				got[i].Cur.Reset(parts[i].Cur.Send)
			}
			if err := dec.decode(body, coder, m, got); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Every cut of a body, and every bit of it turned over, is refused or decoded to
// something else, without a panic.
func TestBytesDamaged(t *testing.T) {
	s := newScene(t, 5, 2, 0.3)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, allSlots)
	var enc byteEncoder
	var dec byteDecoder
	body, coder := enc.append(nil, m, parts)
	for n := range body {
		if err := dec.decode(body[:n], coder, m, sceneEmpty(parts)); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(body))
		}
	}
	bad := make([]byte, len(body))
	for i := range len(body) * 8 {
		copy(bad, body)
		bad[i/8] ^= 1 << (i % 8)
		for c := Raw; c <= Zstd; c++ {
			err := dec.decode(bad, c, m, sceneEmpty(parts))
			if err != nil && !errors.Is(err, codec.ErrShort) && !errors.Is(err, codec.ErrMalformed) &&
				!errors.Is(err, codec.ErrTooLarge) && !errors.Is(err, codec.ErrBaseline) {
				t.Fatalf("bit %d: %v", i, err)
			}
		}
	}
}

// What needs a baseline is refused without one, and slots that it does not know.
func TestBytesNeedTheirBaseline(t *testing.T) {
	s := newScene(t, 6, 1, 0.3)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, allSlots)
	body, coder := new(byteEncoder).append(nil, m, parts)
	none := sceneEmpty(parts)
	none[0].Base = nil
	if err := new(byteDecoder).decode(body, coder, m, none); !errors.Is(err, codec.ErrBaseline) {
		t.Errorf("without a baseline: %v", err)
	}
	part := sceneEmpty(parts)
	part[0].Base = &Group{Send: 1}
	if err := new(byteDecoder).decode(body, coder, m, part); !errors.Is(err, codec.ErrBaseline) {
		t.Errorf("against an empty baseline: %v", err)
	}
}
