package channel

import (
	"testing"
	"time"
)

// Loss covers the last 5 to 10 s: older losses are forgotten, and a packet that is acknowledged late is not lost. The minimum
// round trip covers the same time.
func TestLossOfTheLastSeconds(t *testing.T) {
	e := mustNew(t, Config{})
	now, seq := time.Unix(0, 0), uint16(0)
	var late []uint16
	second := func(rtt time.Duration, lost func(seq uint16) bool) {
		for range 50 {
			_ = e.Send(number(t, "state"), []byte{1})
			_ = e.Fill(now, seq, nil, 1000)
			if lost(seq) {
				late = append(late, seq)
			} else {
				e.Acked(now.Add(rtt), seq)
			}
			seq++
			now = now.Add(20 * time.Millisecond)
		}
	}
	near := func(what string, want float64) {
		t.Helper()
		if got := e.Stats().Loss; got < want-0.03 || got > want+0.03 {
			t.Errorf("%s: loss %.3f, want %.2f", what, got, want)
		}
	}
	none := func(uint16) bool { return false }
	near("before anything", 0)
	for range 4 {
		second(10*time.Millisecond, func(seq uint16) bool { return seq%4 == 0 })
	}
	near("one in four", 0.25)
	for range 4 {
		second(15*time.Millisecond, none)
	}
	near("as many seconds without", 0.125)
	if got := e.Stats().MinRTT; got != 10*time.Millisecond {
		t.Errorf("least round trip %v of the last 5 to 10 s, want 10 ms", got)
	}
	for range 3 {
		second(15*time.Millisecond, none)
	}
	near("more than 5 s without", 0)
	if got := e.Stats().MinRTT; got != 15*time.Millisecond {
		t.Errorf("least round trip %v of the last 5 to 10 s, want 15 ms", got)
	}
	late = nil
	for range 4 {
		second(15*time.Millisecond, func(seq uint16) bool { return seq%2 == 0 })
	}
	before := e.Stats()
	for _, seq := range late[:40] {
		e.Acked(now, seq)
	}
	if after := e.Stats(); after.Lost != before.Lost-40 || after.Spurious != before.Spurious+40 || after.Loss >= before.Loss {
		t.Errorf("40 came after all: lost %d, before %d; spurious %d; loss %.3f, before %.3f",
			after.Lost, before.Lost, after.Spurious, after.Loss, before.Loss)
	}
}
