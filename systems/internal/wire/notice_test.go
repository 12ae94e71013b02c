package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// cursor, gaze and mark are what clients write.
type (
	cursor struct {
		X, Y float32 `net:"-512..512 step 0.5"`
	}
	gaze struct {
		Yaw uint16 `net:"0..359 angle"`
	}
	mark struct {
		Kind uint8 `net:"enum 5"`
	}
)

func written() (list []*ecs.Component) {
	for _, c := range testgame.Stage(func(p *ecs.Protocol) {
		ecs.Replicate[cursor](p, ecs.ClientOwned|ecs.Interpolated)
		ecs.Replicate[gaze](p, ecs.ClientOwned|ecs.OwnerOnly)
		ecs.Replicate[mark](p, ecs.ClientOwned)
	}).Replicated() {
		if c.Mode&ecs.ClientOwned != 0 {
			list = append(list, c)
		}
	}
	return list
}

// randomWords is a value of a component, in words.
func randomWords(r *rand.Rand, c *ecs.Component) []int32 {
	words := make([]int32, c.Words)
	for k := range words {
		words[k] = int32(r.Uint32() & uint32(1<<c.Schema.WordBits(k)-1))
	}
	return words
}

// The bytes of changes and notices are those in docs/wire-format.md.
func TestBytesOfChangesAndNotices(t *testing.T) {
	c := NewChangeCoder(written()[:2])
	c.Start(nil)
	c.Change(300, 0, []int32{5, 2000})
	changes := append(c.End(0, 1), 0x09)
	n := Notice{Kind: NoticeInput, Tick: 300, Input: 290, Reason: "no magic"}
	notices := n.Append(codec.AppendUvarint([]byte{KindNotices}, 7), nil, nil)
	n = Notice{Kind: NoticeRevoked, Tick: 301, ID: 4}
	notices = n.Append(notices, nil, nil)
	for want, got := range map[string][]byte{
		"0eac020a00fa0009":                         changes,
		"050700ac02a202086e6f206d6167696304ad0204": notices,
	} {
		if b, _ := hex.DecodeString(want); !bytes.Equal(b, got) {
			t.Errorf("%x, want %s", got, want)
		}
	}
}

func TestChangesRoundTrip(t *testing.T) {
	r, list := rand.New(rand.NewPCG(7, 1)), written()
	writer, reader := NewChangeCoder(list), NewChangeCoder(list)
	for range 500 {
		writer.Start([]byte("before"))
		var told []ReceivedChange
		var words []int32
		for range 1 + r.IntN(MaxChanges) {
			x := ReceivedChange{max(r.Uint32()>>r.IntN(32), 1), r.IntN(len(list)), len(words)}
			v := randomWords(r, list[x.Component])
			writer.Change(x.ID, x.Component, v)
			told, words = append(told, x), append(words, v...)
		}
		b := writer.End(len("before"), len(told))[len("before"):]
		rest, err := reader.Read(append(slices.Clone(b), "inputs"...))
		if err != nil || string(rest) != "inputs" || !slices.Equal(reader.Received, told) || !slices.Equal(reader.Words, words) {
			t.Fatalf("%+v %v came back as %+v %v, before %q: %v", told, words, reader.Received, reader.Words, rest, err)
		}
		for cut := 1; cut < len(b); cut++ {
			if _, err := reader.Read(b[:cut]); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
	}
	last := &reader.Received[len(reader.Received)-1]
	if v := reader.Value(last); len(v) != list[last.Component].Words {
		t.Errorf("a value of %d words", len(v))
	}
}

// Changes with entity 0, an entity beyond 32 bits, an unknown component, or no content are refused.
func TestChangesOfWhatThereIsNot(t *testing.T) {
	list := written()
	for what, write := range map[string]func(c *ChangeCoder){
		"entity 0":      func(c *ChangeCoder) { c.W.Uvarint(0); c.W.Bits(2, 2); c.W.Bits(0, 3) },
		"a long number": func(c *ChangeCoder) { c.W.Uvarint(math.MaxUint32 + 1); c.W.Bits(2, 2); c.W.Bits(0, 3) },
		"component 3":   func(c *ChangeCoder) { c.W.Uvarint(1); c.W.Bits(3, 2); c.W.Bits(0, 3) },
	} {
		c := NewChangeCoder(list)
		c.Start(nil)
		write(&c)
		if _, err := c.Read(c.End(0, 1)); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
	}
	c := NewChangeCoder(list)
	if _, err := c.Read([]byte{KindChanges}); !errors.Is(err, ErrMessage) {
		t.Errorf("no changes: %v", err)
	}
	c.Start(nil)
	c.Change(math.MaxUint32, 2, []int32{4})
	if _, err := c.Read(c.End(0, 1)); err != nil {
		t.Error(err)
	}
}

// FuzzReadChanges checks that decoded changes can be encoded again with the same meaning.
func FuzzReadChanges(f *testing.F) {
	list := written()[:2]
	c := NewChangeCoder(list)
	c.Start(nil)
	c.Change(300, 0, []int32{5, 2000})
	c.Change(1, 1, []int32{359})
	f.Add(append(c.End(0, 2), KindInput, 1, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		c := NewChangeCoder(list)
		rest, err := c.Read(b)
		if err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		again := NewChangeCoder(list)
		again.Start(nil)
		for i := range c.Received {
			again.Change(c.Received[i].ID, c.Received[i].Component, c.Value(&c.Received[i]))
		}
		out := append(again.End(0, len(c.Received)), rest...)
		second := NewChangeCoder(list)
		if more, err := second.Read(out); err != nil || !slices.Equal(second.Received, c.Received) || !slices.Equal(second.Words, c.Words) || !slices.Equal(more, rest) {
			t.Fatalf("%x came back as %x: %v", b, out, err)
		}
	})
}

func TestNoticesRoundTrip(t *testing.T) {
	r, list := rand.New(rand.NewPCG(8, 1)), written()
	reader := NoticeReader{Components: list}
	for range 500 {
		first := 1 + r.Uint32()>>1
		b := codec.AppendUvarint([]byte{KindNotices}, uint64(first))
		ends := []int{len(b)}
		var all []Notice
		var words []int32
		for range 1 + r.IntN(6) {
			n := Notice{Kind: r.IntN(noticeKinds), Tick: r.Uint32()}
			var v []int32
			var about *ecs.Component
			switch number := max(r.Uint32()>>r.IntN(32), 1); n.Kind {
			case NoticeFast:
				n.Inputs = r.Uint64()
			case NoticeTravel:
				n.Part, n.Parts, n.Reason = uint8(r.Uint32()), uint8(r.Uint32()), string(make([]byte, r.IntN(700)))
			case NoticeChange:
				n.Component, n.Seq, n.first = r.IntN(len(list)), uint16(r.Uint32()), len(words)
				about = list[n.Component]
				v = randomWords(r, about)
				fallthrough
			default:
				n.Input, n.ID = number, number
			}
			if n.Kind == NoticeInput || n.Kind == NoticeChange {
				n.Reason = strings.Repeat("é", r.IntN(MaxReason/2+1))
			}
			if about != nil {
				b = n.Append(b, v, about.Schema)
			} else {
				b = n.Append(b, nil, nil)
			}
			all, words, ends = append(all, n), append(words, v...), append(ends, len(b))
		}
		if err := reader.Read(b); err != nil || reader.First != first || !slices.Equal(reader.Notices, all) || !slices.Equal(reader.Words, words) {
			t.Fatalf("from %d %+v came back as %d %+v: %v", first, all, reader.First, reader.Notices, err)
		}
		for i := range reader.Notices {
			if n := &reader.Notices[i]; n.Kind == NoticeChange && len(reader.Value(n)) != list[n.Component].Words {
				t.Fatalf("%+v has %d words", n, len(reader.Value(n)))
			}
		}
		for cut := range b {
			if whole := slices.Contains(ends[1:], cut); (reader.Read(b[:cut]) == nil) != whole {
				t.Fatalf("%d of %d bytes, notices end at %d: %v", cut, len(b), ends, reader.Read(b[:cut]))
			}
		}
	}
}

// A reason is truncated after the last whole character within 64 bytes.
func TestReasonsAreCut(t *testing.T) {
	for reason, want := range map[string]string{
		"":                                   "",
		strings.Repeat("a", MaxReason):       strings.Repeat("a", MaxReason),
		strings.Repeat("a", MaxReason+1):     strings.Repeat("a", MaxReason),
		"a" + strings.Repeat("é", MaxReason): "a" + strings.Repeat("é", (MaxReason-1)/2),
		strings.Repeat("\U0001f600", MaxReason/4+1): strings.Repeat("\U0001f600", MaxReason/4),
		"bro\xffken": "bro?ken",
	} {
		if got := CutReason(reason); got != want {
			t.Errorf("%q is cut to %q, want %q", reason, got, want)
		}
	}
}

func TestNoticesThatNoServerSends(t *testing.T) {
	list := written()
	notice := func(b ...byte) []byte { return append([]byte{KindNotices, 1}, b...) }
	long := string(codec.AppendUvarint(nil, math.MaxUint32+1))
	for what, b := range map[string][]byte{
		"nothing":            {},
		"another kind":       {KindInput, 1, NoticeGranted, 1, 1},
		"from 0":             {KindNotices, 0, NoticeGranted, 1, 1},
		"numbers that wrap":  append(codec.AppendUvarint([]byte{KindNotices}, math.MaxUint32), NoticeGranted, 1, 1),
		"no notices":         notice(),
		"kind 8":             notice(noticeKinds, 1, 1),
		"half a part":        notice(NoticeTravel, 1, 0, 3, 4, 0, 'a', 'b', 'c'),
		"a long tick":        notice([]byte("\x03" + long + "\x01")...),
		"entity 0":           notice(NoticeGranted, 1, 0),
		"a long entity":      notice([]byte("\x03\x01" + long)...),
		"component 3":        notice(NoticeChange, 1, 1, 3, 0, 0, 0, 0),
		"a reason of 65":     notice(append([]byte{NoticeInput, 1, 1, MaxReason + 1}, make([]byte, MaxReason+1)...)...),
		"no UTF-8":           notice(NoticeInput, 1, 1, 1, 0xff),
		"bits behind values": notice(NoticeChange, 1, 1, 2, 0, 0, 0, 0x80),
	} {
		r := NoticeReader{Components: list}
		if err := r.Read(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
	}
	r := NoticeReader{Components: list}
	if err := r.Read(notice(append([]byte{NoticeInput, 1, 1, MaxReason}, make([]byte, MaxReason)...)...)); err != nil {
		t.Errorf("a reason of %d bytes: %v", MaxReason, err)
	}
}

// FuzzReadNotices checks that decoded notices can be encoded again with the same meaning.
func FuzzReadNotices(f *testing.F) {
	list := written()[:2]
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NoticeReader{Components: list}
		if err := r.Read(b); err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		out := codec.AppendUvarint([]byte{KindNotices}, uint64(r.First))
		for i := range r.Notices {
			n := &r.Notices[i]
			if n.Kind == NoticeChange {
				out = n.Append(out, r.Value(n), list[n.Component].Schema)
			} else {
				out = n.Append(out, nil, nil)
			}
		}
		again := NoticeReader{Components: list}
		if err := again.Read(out); err != nil || again.First != r.First || !slices.Equal(again.Notices, r.Notices) || !slices.Equal(again.Words, r.Words) {
			t.Fatalf("%x came back as %x: %v", b, out, err)
		}
	})
}
