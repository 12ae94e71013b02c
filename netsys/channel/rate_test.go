package channel

import (
	"testing"
	"time"
)

// TestRateFollowsThePath runs a transfer over paths of several widths: it comes near each without drowning the
// snapshots' packets in loss, at 5 % random loss too.
func TestRateFollowsThePath(t *testing.T) {
	for _, test := range []struct {
		width int
		loss  float64
	}{{64 << 10, 0}, {256 << 10, 0}, {64 << 10, 0.05}} {
		link := path{delay: 30 * time.Millisecond, loss: test.loss, bytesASecond: test.width}
		p := newPair(t, Config{}, 5, link)
		got := 0
		p.b.got = func(number int, b []byte) { got += len(b) }
		bulk := number(t, "bulk")
		const seconds = 40
		half := 0
		for tick := range seconds * 60 {
			if tick == seconds*60/2 {
				half = got
			}
			p.step(func() {
				for p.a.e.Send(bulk, make([]byte, 8000)) == nil {
				}
			})
		}
		s := p.a.e.Stats()
		share := float64(got-half) / float64(test.width*seconds/2)
		t.Logf("%d B/s, loss %.2f: %.2f of it used, rate %d, loss %.3f, RTT %v min %v", test.width, test.loss, share, s.Rate, s.Loss, s.RTT, s.MinRTT)
		if share < 0.4 {
			t.Errorf("%d B/s, loss %.2f: %.2f of it used", test.width, test.loss, share)
		}
		if s.Loss > test.loss+0.1 {
			t.Errorf("%d B/s: loss %.3f", test.width, s.Loss)
		}
	}
}

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
