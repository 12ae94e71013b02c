package channel

import (
	"bytes"
	"testing"
	"time"
)

// A lost message is resent wherever it is in the queue, although an older message has been resent already.
func TestLostBehindOthers(t *testing.T) {
	for _, lost := range []uint64{4, 62, 63, 64, 66, 69, 127, 129, 131} {
		e := mustNew(t, Config{Channels: []ChannelConfig{{Name: "news", Kind: ReliableUnordered, Queue: 140}}})
		now, seq := time.Unix(0, 0), uint16(0)
		fill := func(room int) []byte {
			seq++
			return e.Fill(now, seq, nil, room)
		}
		const first = 3 // the oldest that is not acknowledged
		sent := make(map[uint64]uint16)
		for id := range uint64(135) {
			must(t, e.Send(0, text(id, 8)))
			fill(1000)
			sent[id] = seq
		}
		now = now.Add(50 * time.Millisecond)
		for id := range uint64(135) {
			if id != first && id != lost {
				e.Acked(now, sent[id])
			}
		}
		now = now.Add(time.Minute)
		if b := fill(16); !bytes.Contains(b, text(first, 8)) || bytes.Contains(b, text(lost, 8)) {
			t.Fatalf("%x is sent again first", b)
		}
		if b := fill(1000); !bytes.Contains(b, text(lost, 8)) || bytes.Contains(b, text(first, 8)) {
			t.Errorf("message %d was lost: %x is sent while message %d is under way", lost, b, first)
		}
	}
}

// When a packet is lost, its messages are resent, and those of the next packets are not.
func TestOnlyWhatWasLostIsSentAgain(t *testing.T) {
	e := mustNew(t, Config{})
	event := number(t, "event")
	now := time.Unix(0, 0)
	for seq, what := range []string{"first", "second", "third"} {
		must(t, e.Send(event, []byte(what)))
		if b := e.Fill(now, uint16(seq), nil, 1000); !bytes.Contains(b, []byte(what)) {
			t.Fatalf("%q is not sent: %q", what, b)
		}
		now = now.Add(300 * time.Millisecond)
	}
	// The first is lost after 750 ms, of a round trip that nobody has measured; the others are not yet.
	b := e.Fill(now, 3, nil, 1000)
	if !bytes.Contains(b, []byte("first")) || bytes.Contains(b, []byte("second")) || bytes.Contains(b, []byte("third")) {
		t.Errorf("sent again: %q", b)
	}
	if n := e.Channel(event).Resent; n != 1 {
		t.Errorf("%d sent again", n)
	}
}
