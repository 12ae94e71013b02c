package wire

import (
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

// The bytes of notices are those in docs/spec/wire-format.md.
func TestBytesOfNotices(t *testing.T) {
	n := Notice{Kind: NoticeInput, Tick: 300, Input: 290, Reason: "no magic"}
	if got, want := hex.EncodeToString(n.Append(nil)), "00ac02a202086e6f206d61676963"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNoticesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 500 {
		n := Notice{Kind: r.IntN(noticeKinds), Tick: r.Uint32()}
		switch n.Kind {
		case NoticeFast:
			n.Inputs = r.Uint64()
		case NoticeTravel:
			n.Ticket = make([]byte, r.IntN(700))
		default:
			n.Input, n.Reason = max(r.Uint32()>>r.IntN(32), 1), strings.Repeat("é", r.IntN(MaxReason/2+1))
		}
		b := n.Append(nil)
		if got, err := ReadNotice(b); err != nil || !reflect.DeepEqual(got, n) {
			t.Fatalf("%+v came back as %+v: %v", n, got, err)
		}
		for cut := range b {
			if _, err := ReadNotice(b[:cut]); err == nil && n.Kind != NoticeTravel {
				t.Fatalf("%d of %d bytes are a notice", cut, len(b))
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
	long := string(codec.AppendUvarint(nil, math.MaxUint32+1))
	for what, b := range map[string][]byte{
		"nothing":        {},
		"kind 4":         {noticeKinds, 1, 1},
		"a long tick":    []byte("\x00" + long + "\x01\x00"),
		"input 0":        {NoticeInput, 1, 0, 0},
		"a long input":   []byte("\x00\x01" + long + "\x00"),
		"a reason of 65": append([]byte{NoticeInput, 1, 1, MaxReason + 1}, make([]byte, MaxReason+1)...),
		"no UTF-8":       {NoticeInput, 1, 1, 1, 0xff},
		"two notices":    {NoticeFast, 1, 1, NoticeFast, 1, 1},
	} {
		if _, err := ReadNotice(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ReadNotice(append([]byte{NoticeInput, 1, 1, MaxReason}, make([]byte, MaxReason)...)); err != nil {
		t.Errorf("a reason of %d bytes: %v", MaxReason, err)
	}
}

// FuzzReadNotice checks that a decoded notice can be encoded again with the same meaning.
func FuzzReadNotice(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := ReadNotice(b)
		if err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		if again, err := ReadNotice(n.Append(nil)); err != nil || !reflect.DeepEqual(again, n) {
			t.Fatalf("%x came back as %+v: %v", b, again, err)
		}
	})
}
