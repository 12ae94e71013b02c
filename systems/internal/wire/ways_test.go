package wire

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// withBody is a block with ways in front of its body.
func withBody(h BlockHead, w Ways, c delta.Coder, body ...byte) []byte {
	var all []byte
	all, h.Coder = w.Append(nil, c)
	all = append(all, body...)
	return append(h.Append(nil, 0, len(all), true), all...)
}

// What is written of ways is read, and the body behind them is as it was.
func TestWays(t *testing.T) {
	for _, w := range []Ways{{}, {Came: 1}, {Away: 1 << 63}, {Came: ^uint64(0)}, {Came: 0xf0f0, Away: 0x0f00}} {
		var r codec.ByteReader
		r.Reset(withBody(BlockHead{First: 7, Count: 1, Slots: AllSlots, Age: 3}, w, delta.Zstd, 4, 5))
		h, body, err := ReadBlock(&r, 0)
		w.Told = true
		if err != nil || h.Ways != w || h.Coder != delta.Zstd || !bytes.Equal(body, []byte{4, 5}) {
			t.Errorf("%+v: read %+v, body %x, %v", w, h, body, err)
		}
	}
}

// Ways that no server sends are refused.
func TestWaysThatNoServerSends(t *testing.T) {
	plain := BlockHead{First: 7, Count: 1, Slots: 0xff}
	own, two := plain, plain
	own.Own, two.Count = true, 2
	raw := func(ways ...byte) []byte {
		h := plain
		h.Coder = withWays
		return append(h.Append(nil, 0, len(ways), true), ways...)
	}
	for name, b := range map[string][]byte{
		"nothing": raw(), "of own state": withBody(own, Ways{Came: 1}, delta.Raw), "of two groups": withBody(two, Ways{Came: 1}, delta.Raw),
		"of slots of which nothing is told": withBody(plain, Ways{Away: 1 << 8}, delta.Raw), "a slot that came and went": withBody(plain, Ways{Came: 1, Away: 1}, delta.Raw),
		"flags": raw(0x10), "coder": raw(3), "none": raw(4, 0), "too many": raw(4, 65, 1), "twice": raw(4, 2, 1, 1), "beyond": raw(4, 1, 64), "short": raw(4, 2, 1),
	} {
		var r codec.ByteReader
		r.Reset(b)
		if h, _, err := ReadBlock(&r, 0); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// Whatever is read of a block with ways is bounded, and means the same when it is written again.
func FuzzReadWays(f *testing.F) {
	f.Add(withBody(BlockHead{First: 7, Count: 1, Slots: AllSlots}, Ways{Came: 5, Away: 8}, delta.Range, 1, 2))
	f.Add(withBody(BlockHead{Count: 1, Slots: 0xff, Age: 2}, Ways{}, delta.Raw))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r codec.ByteReader
		r.Reset(b)
		h, body, err := ReadBlock(&r, 0)
		if err != nil || !h.Ways.Told {
			return
		}
		if (h.Ways.Came|h.Ways.Away)&^h.Slots != 0 || h.Own || h.Count != 1 {
			t.Fatalf("%+v", h)
		}
		var again codec.ByteReader
		again.Reset(withBody(h, h.Ways, h.Coder, body...))
		if got, rest, err := ReadBlock(&again, 0); err != nil || got != h || !bytes.Equal(rest, body) {
			t.Fatalf("%+v is %+v, %v", h, got, err)
		}
	})
}
