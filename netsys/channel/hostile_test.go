package channel

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// bombConfig has one channel of each way to put pieces together.
func bombConfig() Config {
	return Config{Channels: []ChannelConfig{
		{Name: "plain", Kind: Unreliable, MaxMessage: 1 << 20},
		{Name: "newest", Kind: UnreliableSequenced, MaxMessage: 1 << 20},
		{Name: "any", Kind: ReliableUnordered, MaxMessage: 1 << 20},
		{Name: "order", Kind: ReliableOrdered, MaxMessage: 1 << 20},
	}}
}

// piece returns a packet with one piece of a message of 4,096.
func piece(channel int, id uint16, first int) []byte {
	b := []byte{byte(channel) | flagPieces | flagRest}
	b = binary.LittleEndian.AppendUint16(b, id)
	b = codec.AppendUvarint(b, 4096-2)
	b = codec.AppendUvarint(b, uint64(first))
	b = codec.AppendUvarint(b, 0)
	return append(b, make([]byte, 256)...)
}

// TestFragmentBomb announces thousands of long messages and sends one piece of each, then many. The memory follows the
// received bytes and stops at the limits of the channel. Reliable channels return an error, and others drop old messages.
func TestFragmentBomb(t *testing.T) {
	for number, kind := range bombConfig().Channels {
		e := mustNew(t, bombConfig())
		now := time.Unix(0, 0)
		refused := 0
		held := 0
		for i := range 16_000 {
			// Ids go up and pieces go round, so that nothing becomes complete.
			id, first := uint16(i/8), i%8*17
			err := e.Receive(now, piece(number, id, first), func(int, []byte) { t.Fatal("delivers a bomb") })
			switch {
			case err == nil:
			case errors.Is(err, ErrPieces), errors.Is(err, ErrWindow):
				refused++
				if !errors.Is(err, codec.ErrTooLarge) {
					t.Fatal(err)
				}
			default:
				t.Fatal(err)
			}
			held = max(held, e.Stats().HeldBytes)
			now = now.Add(10 * time.Microsecond)
		}
		s, c := e.Stats(), e.Channel(number)
		if kind.Kind.reliable() {
			if refused < 15_000 || c.Hostile != uint64(refused) || s.Malformed != uint64(refused) {
				t.Errorf("%v: %d refused, %d counted, %d packets", kind.Kind, refused, c.Hostile, s.Malformed)
			}
			if held > maxPartial*8*256 {
				t.Errorf("%v: holds %d bytes", kind.Kind, held)
			}
			continue
		}
		if refused > 0 || c.Abandoned < 1900 || held > maxPartial*8*256 {
			t.Errorf("%v: %d refused, %d abandoned, holds %d bytes", kind.Kind, refused, c.Abandoned, held)
		}
		// Nothing comes any more: time frees what is left.
		must(t, e.Receive(now.Add(time.Minute), nil, nil))
		if e.Stats().HeldBytes != 0 {
			t.Errorf("%v: holds %d bytes a minute later", kind.Kind, e.Stats().HeldBytes)
		}
	}
}

// TestPiecesBound sends as many pieces as an honest sender may have under way, and more. The receiver holds no more than that.
func TestPiecesBound(t *testing.T) {
	for number, kind := range bombConfig().Channels {
		e := mustNew(t, bombConfig())
		now := time.Unix(0, 0)
		for id := range uint16(8) {
			for first := range 4095 {
				err := e.Receive(now, piece(number, id, first), func(int, []byte) { t.Fatal("delivers a bomb") })
				if err != nil && !errors.Is(err, ErrPieces) {
					t.Fatal(err)
				}
			}
		}
		if held, most := e.Stats().HeldBytes, 2<<20+256*256; held > most {
			t.Errorf("%v: holds %d bytes, at most %d", kind.Kind, held, most)
		}
	}
}

// TestWindowBound sends messages after one that never arrives. The receiver holds no more than the queue limits.
func TestWindowBound(t *testing.T) {
	c := Config{Channels: []ChannelConfig{{Name: "order", Kind: ReliableOrdered, Queue: 100, QueueBytes: 20_000, MaxMessage: 1000}}}
	e := mustNew(t, c)
	now := time.Unix(0, 0)
	errs := map[error]int{}
	for id := uint16(1); id < 300; id++ {
		b := append([]byte{flagRest, byte(id), byte(id >> 8)}, make([]byte, 1000)...)
		err := e.Receive(now, b, func(int, []byte) { t.Fatal("delivers out of order") })
		errs[err]++
	}
	if errs[ErrWindow] != 200 || errs[ErrPieces] == 0 || errs[nil]+errs[ErrPieces] != 99 {
		t.Errorf("answers %v", errs)
	}
	if held := e.Stats().HeldBytes; held > 20_000+100*256 {
		t.Errorf("holds %d bytes", held)
	}
}

// TestConflict sends pieces that do not belong together.
func TestConflict(t *testing.T) {
	other := func(channel int) []byte {
		b := []byte{byte(channel) | flagPieces | flagRest, 0, 0}
		b = codec.AppendUvarint(b, 4000-2)
		b = append(b, 9, 0)
		return append(b, make([]byte, 256)...)
	}
	for number, kind := range bombConfig().Channels {
		e := mustNew(t, bombConfig())
		now := time.Unix(0, 0)
		id := uint16(0)
		must(t, e.Receive(now, piece(number, id, 3), nil))
		if err := e.Receive(now, other(number), nil); !errors.Is(err, ErrConflict) || !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("%v: another count: %v", kind.Kind, err)
		}
		if !kind.Kind.reliable() {
			continue
		}
		if err := e.Receive(now, []byte{byte(number) | flagRest, 0, 0, 1}, nil); !errors.Is(err, ErrConflict) {
			t.Errorf("%v: whole after pieces: %v", kind.Kind, err)
		}
		if e.Channel(number).Hostile != 2 {
			t.Errorf("%v: %d counted", kind.Kind, e.Channel(number).Hostile)
		}
	}
}

// TestForgedAcknowledgements acknowledges packets that were never sent. Nothing counts as acknowledged.
func TestForgedAcknowledgements(t *testing.T) {
	e := mustNew(t, Config{})
	now := time.Unix(0, 0)
	event := number(t, "event")
	_ = e.Send(event, []byte("x"))
	for seq := range 1 << 16 {
		e.Acked(now, uint16(seq))
	}
	if b := e.Fill(now, 65535, nil, 1000); len(b) == 0 {
		t.Fatal("nothing to send")
	}
	for seq := range 1<<16 - 1 {
		e.Acked(now, uint16(seq))
	}
	if s := e.Stats(); s.Acked != 0 || e.Channel(event).Queued != 1 {
		t.Errorf("%d acknowledged, %d queued", s.Acked, e.Channel(event).Queued)
	}
}

// TestSendRefusals has a reason for each.
func TestSendRefusals(t *testing.T) {
	c := Config{Channels: []ChannelConfig{
		{Name: "order", Kind: ReliableOrdered, Queue: 3, MaxMessage: 1000},
		{Name: "bytes", Kind: ReliableUnordered, QueueBytes: 1500, MaxMessage: 1000},
		{Name: "plain", Kind: Unreliable, Queue: 3, MaxMessage: 5000, QueueBytes: 6000},
		{Name: "newest", Kind: UnreliableSequenced, MaxMessage: 5000},
	}}
	e := mustNew(t, c)
	send := func(number, n int, want error) {
		t.Helper()
		if err := e.Send(number, make([]byte, n)); err != want {
			t.Errorf("channel %d, %d bytes: %v, want %v", number, n, err, want)
		}
	}
	send(0, 1001, ErrTooLarge)
	for range 3 {
		send(0, 1, nil)
	}
	send(0, 0, ErrFull)
	send(1, 1000, nil)
	send(1, 501, ErrFull)
	send(1, 500, nil)
	for range 5 {
		send(2, 10, nil)
	}
	if got := e.Channel(2); got.Dropped != 2 || got.Queued != 3 {
		t.Errorf("plain: %+v", got)
	}
	for range 100 {
		send(3, 5000, nil)
	}
	if got := e.Channel(3); got.Dropped != 99 || got.QueuedBytes != 5000 || got.Queued != 1 {
		t.Errorf("sequenced: %+v", got)
	}
	// Of what is under way in pieces, nothing is dropped.
	e = mustNew(t, c)
	send(2, 5000, nil)
	send(3, 5000, nil)
	for seq := range uint16(2) {
		_ = e.Fill(time.Unix(0, 0), seq, nil, 1000)
	}
	send(2, 2000, ErrFull)
	send(2, 900, nil)
	defer func() {
		if recover() == nil {
			t.Error("Send on a channel that there is not")
		}
	}()
	_ = e.Send(4, nil)
}

// TestStale checks that unsent unreliable messages are dropped at their MaxAge, and never with a negative one.
func TestStale(t *testing.T) {
	e := mustNew(t, Config{Channels: []ChannelConfig{
		{Name: "plain", Kind: Unreliable, MaxAge: 100 * time.Millisecond},
		{Name: "newest", Kind: UnreliableSequenced},
		{Name: "patient", Kind: Unreliable, MaxAge: -1},
	}})
	now := time.Unix(0, 0)
	_ = e.Fill(now, 0, nil, 1000)
	for number := range 3 {
		_ = e.Send(number, []byte{byte(number)})
	}
	want := []uint64{0, 0, 0}
	for seq, after := range []time.Duration{100, 150, 250, 10000} {
		_ = e.Fill(time.Unix(0, 0).Add(after*time.Millisecond), uint16(seq+1), nil, 0)
		switch after {
		case 150:
			want[0] = 1
		case 10000:
			want[1] = 1
		}
		for number := range 3 {
			if got := e.Channel(number).Dropped; got != want[number] {
				t.Errorf("after %d ms: channel %d dropped %d", after, number, got)
			}
		}
	}
}

// TestClaims announces more than a sender can have in its queue, one piece of each message.
func TestClaims(t *testing.T) {
	for number := 2; number < 4; number++ {
		e := mustNew(t, bombConfig())
		now := time.Unix(0, 0)
		for id, want := range []error{nil, nil, ErrPieces, ErrPieces} {
			if err := e.Receive(now, piece(number, uint16(id), 0), nil); err != want {
				t.Errorf("channel %d, message %d: %v, want %v", number, id, err, want)
			}
		}
	}
	// A message that was refused because memory was short is not stored as announced.
	e := mustNew(t, Config{Channels: []ChannelConfig{{Name: "order", Kind: ReliableOrdered, Queue: 100, QueueBytes: 5000, MaxMessage: 4000}}})
	now := time.Unix(0, 0)
	for id := byte(1); id < 60; id++ {
		_ = e.Receive(now, append([]byte{flagRest, id, 0}, make([]byte, 1100)...), nil)
	}
	in := &e.channels[0].sure.in
	for id := byte(60); id < 99; id++ {
		b := append([]byte{flagPieces | flagRest, id, 0, 8, 0, 3}, make([]byte, 1024)...)
		if err := e.Receive(now, b, nil); err != ErrPieces {
			t.Fatalf("message %d: %v, with %d of %d blocks in use", id, err, in.used, in.most)
		}
	}
	if in.claimed != 0 || in.used > in.most {
		t.Errorf("%d pieces claimed, %d of %d blocks in use", in.claimed, in.used, in.most)
	}
}
