package channel

import (
	"testing"
	"time"
)

// TestRateBacksOffAndRecovers breaks a path for a while.
func TestRateBacksOffAndRecovers(t *testing.T) {
	p := newPair(t, Config{}, 6, path{delay: 30 * time.Millisecond})
	bulk := number(t, "bulk")
	run := func(seconds int) int {
		for range seconds * 60 {
			p.step(func() {
				for p.a.e.Send(bulk, make([]byte, 8000)) == nil {
				}
			})
		}
		return p.a.e.Stats().Rate
	}
	before := run(5)
	p.a.out.loss = 0.4
	bad := run(10)
	p.a.out.loss = 0
	after := run(20)
	if before <= 128<<10 || bad > before/4 || after < before {
		t.Errorf("rates %d, then at 40 %% loss %d, then %d", before, bad, after)
	}
	if bad < p.a.e.Config().MinRate {
		t.Errorf("rate %d below the floor", bad)
	}
}

// TestRateOfIdle sends little: a rate that is not used is not tried, and does not rise.
func TestRateOfIdle(t *testing.T) {
	p := newPair(t, Config{}, 7, path{delay: 30 * time.Millisecond})
	state := number(t, "state")
	for range 60 * 20 {
		p.step(func() { _ = p.a.e.Send(state, make([]byte, 100)) })
	}
	if got := p.a.e.Stats().Rate; got != p.a.e.Config().Rate {
		t.Errorf("rate %d", got)
	}
}

// TestRateOfFew loses one packet in twelve of a session that sends three a second: no share to judge by.
func TestRateOfFew(t *testing.T) {
	e := mustNew(t, Config{})
	now := time.Unix(0, 0)
	state := number(t, "state")
	for seq := range uint16(300) {
		_ = e.Send(state, []byte{1})
		_ = e.Fill(now, seq, nil, 1000)
		now = now.Add(333 * time.Millisecond)
		if seq%12 != 5 {
			e.Acked(now, seq)
		}
	}
	if got := e.Stats(); got.Rate != e.Config().Rate || got.Lost < 20 {
		t.Errorf("rate %d, lost %d", got.Rate, got.Lost)
	}
}

// TestCrowdedHistory has a rate at which the history would be over long before an acknowledgement can come:
// reliable channels wait for it, and nothing counts as lost.
func TestCrowdedHistory(t *testing.T) {
	c := Config{History: 160, Rate: 512 << 10, MinRate: 512 << 10, RTT: 700 * time.Millisecond}
	p := newPair(t, c, 13, path{delay: 300 * time.Millisecond})
	bulk, got := number(t, "bulk"), 0
	p.b.got = func(int, []byte) { got++ }
	for range 60 * 5 {
		p.step(func() { _ = p.a.e.Send(bulk, make([]byte, 30000)) })
	}
	if s := p.a.e.Stats(); s.Lost+s.Spurious > 0 || got < 5 {
		t.Errorf("%d counted as lost, %d messages arrived", s.Lost+s.Spurious, got)
	}
}
