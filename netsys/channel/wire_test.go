package channel

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// wireConfig has small sizes: whole messages up to 253 bytes, pieces of 100.
func wireConfig() Config {
	return Config{Packet: 256, Piece: 100, Channels: []ChannelConfig{
		{Name: "plain", Kind: Unreliable, MaxMessage: 1000},
		{Name: "newest", Kind: UnreliableSequenced, MaxMessage: 1000},
		{Name: "any", Kind: ReliableUnordered, MaxMessage: 1000},
		{Name: "order", Kind: ReliableOrdered, MaxMessage: 200},
	}}
}

// unhex reads hexadecimal digits in which spaces mean nothing, and "*N" a run of N zero bytes.
func unhex(t testing.TB, s string) (b []byte) {
	t.Helper()
	for word := range strings.FieldsSeq(s) {
		if n, run := strings.CutPrefix(word, "*"); run {
			count := 0
			for _, d := range n {
				count = 10*count + int(d-'0')
			}
			b = append(b, make([]byte, count)...)
			continue
		}
		part, err := hex.DecodeString(word)
		must(t, err)
		b = append(b, part...)
	}
	return b
}

// TestBytes pins the bytes of packets. wire.go draws their layout.
func TestBytes(t *testing.T) {
	for _, test := range []struct {
		name string
		send func(e *Endpoint)
		want string
	}{
		{"nothing", func(*Endpoint) {}, ""},
		{"plain, alone", func(e *Endpoint) { _ = e.Send(0, []byte("hi")) }, "80 6869"},
		{"plain, two", func(e *Endpoint) { _ = e.Send(0, []byte("hi")); _ = e.Send(0, []byte{7}) }, "00 02 6869 80 07"},
		{"empty messages", func(e *Endpoint) { _ = e.Send(0, nil); _ = e.Send(0, nil) }, "00 00 80"},
		{"sequenced keeps the newest", func(e *Endpoint) { _ = e.Send(1, []byte{1}); _ = e.Send(1, []byte{2}) }, "81 0000 02"},
		{"reliable, in a row", func(e *Endpoint) {
			for i := range byte(3) {
				_ = e.Send(3, []byte{i})
			}
		}, "03 0000 01 00 43 01 01 c3 02"},
		{"channels, by number", func(e *Endpoint) { _ = e.Send(3, []byte{3}); _ = e.Send(2, []byte{2}) }, "02 0000 01 02 83 0000 03"},
		{"fills the packet", func(e *Endpoint) { _ = e.Send(3, make([]byte, 200)); _ = e.Send(2, make([]byte, 49)) }, "02 0000 31 *49 83 0000 *200"},
		{"too long for a length, and so the last", func(e *Endpoint) { _ = e.Send(2, make([]byte, 253)) }, "82 0000 *253"},
		{"a byte is left, and is no record's", func(e *Endpoint) { _ = e.Send(2, make([]byte, 252)); _ = e.Send(2, nil) }, "82 0000 *252"},
		{"pieces", func(e *Endpoint) { _ = e.Send(2, make([]byte, 254)) }, "a2 0000 01 00 01 *200"},
	} {
		e := mustNew(t, wireConfig())
		test.send(e)
		got := e.Fill(time.Unix(0, 0), 0, nil, 1000)
		if want := unhex(t, test.want); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", test.name, got, want)
		}
		if err := mustNew(t, wireConfig()).Receive(time.Unix(0, 0), got, func(int, []byte) {}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestMessagesOfPacket wants no more messages of a channel in a packet than numbers bear.
func TestMessagesOfPacket(t *testing.T) {
	for number := range 4 {
		c := wireConfig()
		c.Packet = 1000
		e, r := mustNew(t, c), mustNew(t, c)
		for range 200 {
			_ = e.Send(number, nil)
		}
		want := maxMessages
		if number == 1 {
			want = 1
		}
		now := time.Unix(0, 0)
		if err := r.Receive(now, e.Fill(now, 0, nil, 1000), func(int, []byte) { want-- }); err != nil || want != 0 {
			t.Errorf("channel %d: %d messages short of what a packet takes, %v", number, want, err)
		}
	}
}

// TestRestOfPieces follows a message in pieces through its packets, a short last piece at the end.
func TestRestOfPieces(t *testing.T) {
	e, r := mustNew(t, wireConfig()), mustNew(t, wireConfig())
	now := time.Unix(0, 0)
	want := text(5, 954)
	must(t, e.Send(0, want))
	var got []byte
	heads := []string{"a0 0000 08 00 01", "a0 0000 08 02 01", "a0 0000 08 04 01", "a0 0000 08 06 01", "a0 0000 08 08 01"}
	for seq := range uint16(5) {
		b := e.Fill(now, seq, nil, 1000)
		if head := unhex(t, heads[seq]); !bytes.HasPrefix(b, head) {
			t.Errorf("packet %d begins %x, want %x", seq, b[:min(6, len(b))], head)
		}
		must(t, r.Receive(now, b, func(_ int, m []byte) { got = bytes.Clone(m) }))
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrived", len(got))
	}
}

// TestOneSpelling checks that packets are refused if a sender would encode them otherwise, or if they are invalid.
func TestOneSpelling(t *testing.T) {
	for _, test := range []struct {
		name, packet string
		want         error
	}{
		{"a channel that there is not", "85 00", codec.ErrMalformed},
		{"no number", "82 00", codec.ErrShort},
		{"no length", "02 0000", codec.ErrShort},
		{"a length beyond the end", "02 0000 05 00", codec.ErrShort},
		{"a length in too many bytes", "02 0000 8100 00 80", codec.ErrMalformed},
		{"the last record with its length", "02 0000 01 00", codec.ErrMalformed},
		{"next at the front", "c3 00", codec.ErrMalformed},
		{"next on a channel without numbers", "00 00 c0 00", codec.ErrMalformed},
		{"next behind another channel", "02 0000 00 c3 00", codec.ErrMalformed},
		{"a number where next would do", "02 0000 00 82 0100", codec.ErrMalformed},
		{"a whole message longer than its channel's", "83 0000 *201", codec.ErrTooLarge},
		{"a packet that is too long", "80 *256", codec.ErrTooLarge},
		{"pieces with next", "e2 0000 01 00 01 *200", codec.ErrMalformed},
		{"pieces on a channel without", "a3 0000 01 00 01 *200", codec.ErrTooLarge},
		{"more pieces than the channel's message", "a2 0000 09 00 01 *200", codec.ErrTooLarge},
		{"a count near 2^64", "a2 0000 ffffffffffffffffff01 00 01 *200", codec.ErrTooLarge},
		{"a first piece behind the last", "a2 0000 01 03 00 *100", codec.ErrMalformed},
		{"a first piece near 2^64", "a2 0000 01 ffffffffffffffffff01 00 *100", codec.ErrMalformed},
		{"a run behind the last", "a2 0000 01 01 02 *200", codec.ErrMalformed},
		{"a run near 2^64", "a2 0000 01 01 ffffffffffffffffff01 *200", codec.ErrMalformed},
		{"two pieces, which would be whole", "a2 0000 00 00 00 *100", codec.ErrMalformed},
		{"a last piece that would make it whole", "a2 0000 01 02 00 *53", codec.ErrMalformed},
		{"an empty last piece", "a2 0000 01 02 00", codec.ErrShort},
		{"a last piece that is too long", "a2 0000 01 02 00 *101", codec.ErrMalformed},
		{"a last piece beyond the end", "22 0000 01 02 00 60 *50", codec.ErrShort},
		{"a message beyond its channel's with its last piece", "a1 0000 08 09 00 *101", codec.ErrMalformed},
		{"pieces that are cut off", "a2 0000 01 00 01 *199", codec.ErrShort},
		{"bytes behind the last pieces", "a2 0000 01 00 01 *201", codec.ErrMalformed},
		{"pieces that belong into the record before", "22 0000 01 00 00 *100 a2 0000 01 01 00 *100", codec.ErrMalformed},
	} {
		e := mustNew(t, wireConfig())
		delivered := 0
		err := e.Receive(time.Unix(0, 0), append(unhex(t, "00 01 00"), unhex(t, test.packet)...), func(int, []byte) { delivered++ })
		if test.name == "next at the front" {
			err = e.Receive(time.Unix(0, 0), unhex(t, test.packet), func(int, []byte) { delivered++ })
			delivered = 0
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if delivered > 0 {
			t.Errorf("%s: delivers what stands before", test.name)
		}
		if s := e.Stats(); s.Malformed == 0 || s.HeldBytes != 0 {
			t.Errorf("%s: %d malformed, %d bytes held", test.name, s.Malformed, s.HeldBytes)
		}
	}
}
