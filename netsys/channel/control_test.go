package channel

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// TestControl sends on Control besides the largest number of channels, with a transfer in progress. A short message is in the first
// packet, and in the next ones that have other bytes, until it is acknowledged or was in three of them. A longer one is in one packet.
func TestControl(t *testing.T) {
	var c Config
	for n := range MaxChannels {
		c.Channels = append(c.Channels, ChannelConfig{Name: fmt.Sprint(n), Kind: ReliableOrdered})
	}
	e, r := mustNew(t, c), mustNew(t, c)
	must(t, e.Send(0, make([]byte, 50_000)))
	now, seq := time.Unix(0, 0), uint16(0)
	fill := func(carried bool) []byte {
		now, seq = now.Add(time.Second/60), seq+1
		if carried {
			e.Carried(now, seq, 100)
		}
		return e.Fill(now, seq, nil, 1100)
	}
	long := bytes.Repeat([]byte("long"), maxCopied/4+1)
	for i, short := range []string{"first", "second"} {
		must(t, e.Send(Control, []byte(short)))
		must(t, e.Send(Control, long))
		for packet, want := range []bool{true, false, true, i == 0, false} { // all packets are acknowledged behind the third one of "second"
			b := fill(packet != 1)
			if has := bytes.Contains(b, []byte(short)); has != want {
				t.Errorf("packet %d contains %q: %v", packet, short, has)
			}
			if has := bytes.Contains(b, long); has != (packet == 0) {
				t.Errorf("packet %d contains the long message: %v", packet, has)
			}
			for n := uint16(1); i == 1 && packet == 2 && n <= seq; n++ {
				e.Acked(now, n)
			}
			var got [][]byte
			must(t, r.Receive(now, b, func(number int, m []byte) {
				if number == Control {
					got = append(got, bytes.Clone(m))
				}
			}))
			if packet == 0 != (len(got) == 2 && string(got[0]) == short && bytes.Equal(got[1], long)) {
				t.Errorf("packet %d delivers %q", packet, got)
			}
		}
	}
	for range ControlQueue {
		_ = e.Send(Control, nil)
	}
	if err := e.Send(Control, nil); err != ErrFull || e.Channel(Control).Queued != ControlQueue {
		t.Errorf("%d wait: %v", e.Channel(Control).Queued, err)
	}
}
