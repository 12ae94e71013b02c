package wire

import (
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

// The bytes of notices are those in docs/spec/wire-format.md.
func TestBytesOfNotices(t *testing.T) {
	n := Notice{Kind: NoticeInput, Tick: 300, Input: 290, Reason: "no magic"}
	b := n.Append(codec.AppendUvarint([]byte{KindNotices}, 7))
	n = Notice{Kind: NoticeCommand, Tick: 301, Input: 4, Reason: "no"}
	if got, want := hex.EncodeToString(n.Append(b)), "050700ac02a202086e6f206d6167696302ad0204026e6f"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNoticesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	var reader NoticeReader
	for range 500 {
		first := 1 + r.Uint32()>>1
		b := codec.AppendUvarint([]byte{KindNotices}, uint64(first))
		ends := []int{len(b)}
		var all []Notice
		for range 1 + r.IntN(6) {
			n := Notice{Kind: r.IntN(noticeKinds), Tick: r.Uint32()}
			switch n.Kind {
			case NoticeFast:
				n.Inputs = r.Uint64()
			case NoticeTravel:
				n.Part, n.Parts, n.Reason = uint8(r.Uint32()), uint8(r.Uint32()), string(make([]byte, r.IntN(700)))
			default:
				n.Input, n.Reason = max(r.Uint32()>>r.IntN(32), 1), strings.Repeat("é", r.IntN(MaxReason/2+1))
			}
			b = n.Append(b)
			all, ends = append(all, n), append(ends, len(b))
		}
		if err := reader.Read(b); err != nil || reader.First != first || !slices.Equal(reader.Notices, all) {
			t.Fatalf("from %d %+v came back as %d %+v: %v", first, all, reader.First, reader.Notices, err)
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
	notice := func(b ...byte) []byte { return append([]byte{KindNotices, 1}, b...) }
	long := string(codec.AppendUvarint(nil, math.MaxUint32+1))
	for what, b := range map[string][]byte{
		"nothing":           {},
		"another kind":      {KindInput, 1, NoticeInput, 1, 1, 0},
		"from 0":            {KindNotices, 0, NoticeInput, 1, 1, 0},
		"numbers that wrap": append(codec.AppendUvarint([]byte{KindNotices}, math.MaxUint32), NoticeInput, 1, 1, 0),
		"no notices":        notice(),
		"kind 4":            notice(noticeKinds, 1, 1),
		"half a part":       notice(NoticeTravel, 1, 0, 3, 4, 0, 'a', 'b', 'c'),
		"a long tick":       notice([]byte("\x00" + long + "\x01\x00")...),
		"input 0":           notice(NoticeInput, 1, 0, 0),
		"a long input":      notice([]byte("\x00\x01" + long + "\x00")...),
		"a reason of 65":    notice(append([]byte{NoticeInput, 1, 1, MaxReason + 1}, make([]byte, MaxReason+1)...)...),
		"no UTF-8":          notice(NoticeInput, 1, 1, 1, 0xff),
	} {
		var r NoticeReader
		if err := r.Read(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
	}
	var r NoticeReader
	if err := r.Read(notice(append([]byte{NoticeInput, 1, 1, MaxReason}, make([]byte, MaxReason)...)...)); err != nil {
		t.Errorf("a reason of %d bytes: %v", MaxReason, err)
	}
}

// FuzzReadNotices checks that decoded notices can be encoded again with the same meaning.
func FuzzReadNotices(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		var r NoticeReader
		if err := r.Read(b); err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		out := codec.AppendUvarint([]byte{KindNotices}, uint64(r.First))
		for i := range r.Notices {
			out = r.Notices[i].Append(out)
		}
		var again NoticeReader
		if err := again.Read(out); err != nil || again.First != r.First || !slices.Equal(again.Notices, r.Notices) {
			t.Fatalf("%x came back as %x: %v", b, out, err)
		}
	})
}
