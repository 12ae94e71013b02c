package rooms

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// A seat that is parsed from user data is the one that was written. Other bytes are refused.
func FuzzSeat(f *testing.F) {
	f.Add(Seat{Room: 1, Number: 2, Epoch: 3, Player: 4, Party: 5, Data: []byte("Ada")}.Append(nil))
	f.Add(Seat{Room: 1<<64 - 1, Number: 1<<16 - 1, Epoch: 1<<32 - 1, Player: 1<<64 - 1, Data: make([]byte, MaxData)}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSeat(b)
		if err != nil {
			if !errors.Is(err, ErrSeat) {
				t.Errorf("%v is no ErrSeat", err)
			}
			return
		}
		again := s.Append(nil)
		if len(again) > netcode.UserDataSize || len(s.Data) > MaxData || s.Room == 0 || s.Player == 0 {
			t.Fatalf("%+v", s)
		}
		if !bytes.Equal(bytes.TrimRight(again, "\x00"), bytes.TrimRight(b, "\x00")) {
			t.Errorf("%x reads as %+v, which is %x", b, s, again)
		}
	})
}

// Ids are written in 13 letters and read again; nothing else is one.
func TestID(t *testing.T) {
	for _, id := range []ID{1, 31, 32, 1 << 40, 1<<64 - 1} {
		s := id.String()
		if got, err := ParseID(s); err != nil || got != id || len(s) != 13 {
			t.Errorf("%d is %q, which is %d: %v", uint64(id), s, uint64(got), err)
		}
	}
	for _, s := range []string{"", "0", "0000000000000", "g000000000000", "000000000000i", "00000000000001", "000000000000A"} {
		if id, err := ParseID(s); err == nil {
			t.Errorf("%q is %d", s, id)
		}
	}
}
