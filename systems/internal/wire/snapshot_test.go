package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

func TestSnapshotHeaderRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	var reader codec.ByteReader
	longest := 0
	for n := range 2000 {
		h := SnapshotHeader{Send: uint16(r.Uint32()), Input: uint16(r.Uint32())}
		if r.IntN(2) == 0 {
			h.Control, h.Epoch, h.Depth = true, uint8(r.Uint32()), uint8(r.Uint32())
			h.Shift, h.Floor = int16(r.Uint32()), r.Uint32()>>(1+r.IntN(31))
		}
		if r.IntN(2) == 0 {
			h.Join, h.Pieces, h.Hides = true, uint32(1+r.IntN(MaxPieces)), r.IntN(3) == 0
			if r.IntN(2) == 0 {
				h.Back, h.Joined = uint32(1+r.IntN(1<<20)), uint8(r.IntN(5))
			}
		}
		if r.IntN(4) == 0 {
			h.Timing = Timing(r.Uint32N(3), 1+r.Uint32N(60), 3)
		}
		switch r.IntN(4) {
		case 0:
			h.Agreed = true
		case 1:
			h.Open, h.Number = true, uint8(r.IntN(Corrections))
		}
		if h.Divided = r.IntN(4) == 0; h.Divided && r.IntN(2) == 0 {
			h.OwnParts = uint8(2 + r.IntN(8))
		}
		b := AppendSnapshotHeader(nil, &h)
		longest = max(longest, len(b))
		first, later := h.Sizes()
		if !h.Join && len(b) != first || !h.Join && !h.Control && len(b) != later || len(b) > first+MaxJoinHeader {
			t.Fatalf("%+v takes %d bytes, not %d, or %d in later datagrams", h, len(b), first, later)
		}
		if h.Control = false; !h.Join && len(AppendSnapshotHeader(nil, &h)) != later {
			t.Fatalf("%+v takes other than %d bytes", h, later)
		}
		h.Control = first != later
		reader.Reset(append(b, "body"...))
		if got, err := ReadSnapshotHeader(&reader); err != nil || got != h || reader.Len() != 4 {
			t.Fatalf("message %d: %+v, not %+v, %d bytes left: %v", n, got, h, reader.Len(), err)
		}
		for cut := range b {
			reader.Reset(b[:cut])
			if _, err := ReadSnapshotHeader(&reader); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
	}
	if longest > MaxHeader {
		t.Errorf("a header of %d bytes", longest)
	}
}

func TestBlockHeadRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var reader codec.ByteReader
	for n := range 5000 {
		h := BlockHead{Coder: delta.Coder(r.IntN(3)), Set: r.IntN(2) == 0}
		oldest := uint32(1 << 31)
		switch r.IntN(4) {
		case 0:
			h.Own, oldest = true, OwnKept
		case 1:
			h.Piece, h.Number, oldest = true, uint32(r.IntN(MaxPieces)), 1
		case 2:
			h.Missing = r.Uint32() >> (1 + r.IntN(31))
		}
		if r.IntN(2) == 0 {
			h.Age = r.Uint32() >> r.IntN(32) % oldest
			h.Two = h.Age > 0 && r.IntN(2) == 0
		}
		lastAge := uint32(r.IntN(3))
		body := make([]byte, r.IntN(300))
		last := r.IntN(2) == 0
		head := h.Append(nil, lastAge, len(body), last)
		if len(head) > MaxBlockHead {
			t.Fatalf("a head of %d bytes", len(head))
		}
		b := append(head, body...)
		if !last {
			b = append(b, "more"...)
		}
		reader.Reset(b)
		got, rest, err := ReadBlock(&reader, lastAge)
		if err != nil || got != h || len(rest) != len(body) {
			t.Fatalf("block %d: %+v, not %+v, with %d bytes: %v", n, got, h, len(rest), err)
		}
		for cut := range head {
			reader.Reset(b[:cut])
			if _, _, err := ReadBlock(&reader, lastAge); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(head), err)
			}
		}
	}
	// Most snapshots have one block, with all of the view.
	whole := BlockHead{Age: 3}
	if n := len(whole.Append(nil, 0, 200, true)); n != 2 {
		t.Errorf("the head of a whole view takes %d bytes", n)
	}
	for _, bad := range []BlockHead{
		{Coder: 3}, {Two: true}, {Age: 1 << 31}, {Own: true, Age: MaxOwnAge + 1}, {Missing: 1 << 31}, {Piece: true, Number: MaxPieces}, {Piece: true, Age: 1},
	} {
		reader.Reset(bad.Append(nil, 0, 0, true))
		if _, _, err := ReadBlock(&reader, 0); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Decoded heads of a snapshot can be encoded again with the same meaning, and have no baseline that a client does not store.
func FuzzSnapshotHeads(f *testing.F) {
	head := SnapshotHeader{Send: 7, Input: 9, Control: true, Join: true, Back: 3, Pieces: 17, Hides: true, Floor: 300, Joined: 1, Timing: 200}
	own, world := BlockHead{Own: true, Age: 3, Two: true, Coder: delta.Range}, BlockHead{Missing: 3, Set: true}
	set := Set{Runs: []uint32{2, 1}, News: []NewEntity{{3, true}}}
	f.Add(append(world.Append(own.Append(AppendSnapshotHeader(nil, &head), 0, 0, false), 3, 0, true), set.Append(nil)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r codec.ByteReader
		r.Reset(b)
		h, err := ReadSnapshotHeader(&r)
		if err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		var again codec.ByteReader
		again.Reset(AppendSnapshotHeader(nil, &h))
		if back, err := ReadSnapshotHeader(&again); err != nil || back != h || again.Len() > 0 {
			t.Fatalf("%+v came back as %+v: %v", h, back, err)
		}
		for age := uint32(0); r.Len() > 0; {
			x, body, err := ReadBlock(&r, age)
			if err != nil {
				if !errors.Is(err, ErrMessage) {
					t.Fatal(err)
				}
				return
			}
			if x.Own && x.Age > MaxOwnAge || x.Number >= MaxPieces {
				t.Fatalf("%+v", x)
			}
			if x.Set {
				var set Set
				if rest, err := set.Read(body, int(x.Age)*3-1); err == nil {
					var back Set
					if left, err := back.Read(append(set.Append(nil), rest...), int(x.Age)*3-1); err != nil || !bytes.Equal(left, rest) || !bytes.Equal(back.Append(nil), set.Append(nil)) {
						t.Fatalf("%+v came back as %+v: %v", set, back, err)
					}
				}
			}
			r2 := codec.ByteReader{}
			r2.Reset(append(x.Append(nil, age, len(body), false), body...))
			if again, rest, err := ReadBlock(&r2, age); err != nil || again != x || !bytes.Equal(rest, body) {
				t.Fatalf("%+v came back as %+v: %v", x, again, err)
			}
			age = x.Age
		}
	})
}
