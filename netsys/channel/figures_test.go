package channel

import (
	"testing"
	"time"
)

// Both ends count packets and bytes, and malformed packets separately. Before the first measurement, the round trip is the
// configured one.
func TestFiguresOfPackets(t *testing.T) {
	c := Config{RTT: 80 * time.Millisecond}
	out, in := mustNew(t, c), mustNew(t, c)
	if s := out.Stats(); s.RTT != c.RTT || s.MinRTT != c.RTT || s.Loss != 0 {
		t.Errorf("before anything: %+v", s)
	}
	now, bytes := time.Unix(0, 0), 0
	const packets = 20
	for seq := range uint16(packets) {
		must(t, out.Send(number(t, "state"), text(uint64(seq), 40)))
		b := out.Fill(now, seq, nil, 1000)
		bytes += len(b)
		must(t, in.Receive(now, b, func(int, []byte) {}))
		if b := out.Fill(now, packets+seq, nil, 1000); len(b) > 0 {
			t.Errorf("%x is due", b)
		}
		now = now.Add(20 * time.Millisecond)
	}
	for n := range uint64(3) {
		if err := in.Receive(now, []byte{0xff, 0xff, 0xff}, func(int, []byte) {}); err == nil {
			t.Error("noise is read")
		}
		if s := in.Stats(); s.Malformed != n+1 {
			t.Errorf("%d malformed, want %d", s.Malformed, n+1)
		}
	}
	sent, got := out.Stats(), in.Stats()
	if sent.PacketsOut != packets || sent.BytesOut != uint64(bytes) || got.PacketsIn != packets || got.BytesIn < uint64(bytes) || got.Delivered != packets {
		t.Errorf("%d packets of %d bytes: sent %+v, got %+v", packets, bytes, sent, got)
	}
}

// A channel name has 1 to 32 ASCII letters, digits and a few signs.
func TestNamesOfChannels(t *testing.T) {
	valid := func(name string) bool {
		return Config{Channels: []ChannelConfig{{Name: name}}}.Validate() == nil
	}
	for _, r := range "azAZ09-_./" {
		if !valid("x" + string(r)) {
			t.Errorf("%q makes no name", r)
		}
	}
	for _, r := range "`{@[:,^ \x00é" {
		if valid("x" + string(r)) {
			t.Errorf("%q makes a name", r)
		}
	}
	if valid("") || !valid("12345678901234567890123456789012") || valid("123456789012345678901234567890123") {
		t.Error("a name has 1 to 32 characters")
	}
}
